// SPDX-License-Identifier: Apache-2.0
#include "census/layout_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/text.h"
#include "base/user_folder.h"

namespace tidegauge::census {

namespace fs = std::filesystem;

namespace {

// What says 1 was learned from a program of the process's own, which may have said anything.
constexpr std::string_view kFirstLine = "tidegauge layout 2";

fs::path file_of(const std::string& build_id) {
  if (build_id.empty()) return {};
  const auto folder = folder_of_ours(kUserCache);
  return folder ? fs::path(*folder) / "pythons" / build_id : fs::path();
}

}  // namespace

std::string layout_as_text(const Layout& row) {
  auto text = fmt::format("{}\n", kFirstLine);
  for_each_fact([&](const char* name, auto field) {
    text += fmt::format("{} {}\n", name, static_cast<std::uint64_t>(row.*field));
  });
  return text;
}

std::optional<Layout> parse_layout(std::string_view text) {
  if (next_line(text) != kFirstLine) return {};
  std::map<std::string_view, std::uint64_t> values;
  while (!text.empty()) {
    auto line = next_line(text);
    const auto name = next_word(line);
    const auto value = next_word(line);
    std::uint64_t number = 0;
    const auto end = value.data() + value.size();
    if (value.empty() || std::from_chars(value.data(), end, number).ptr != end) return {};
    values[name] = number;
  }
  Layout row{};
  row.version = "unknown";
  bool whole = true;
  for_each_fact([&](const char* name, auto field) {
    using Fact = std::remove_reference_t<decltype(row.*field)>;
    const auto found = values.find(name);
    constexpr auto most = most_of<Fact>();
    if (found == values.end() || found->second > most) {
      whole = false;
      return;
    }
    row.*field = static_cast<Fact>(found->second);
  });
  // What everything else divides by.
  constexpr std::uint16_t kMostBit = 24;
  if (!whole || row.pool_bytes < 4096 || row.arena_bytes < row.pool_bytes ||
      row.text_kind_bit > kMostBit) {
    return {};
  }
  return row;
}

std::optional<Layout> kept_layout(const std::string& build_id) {
  const auto path = file_of(build_id);
  if (path.empty()) return {};
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return parse_layout(text);
}

void keep_layout(const std::string& build_id, const Layout& row) {
  const auto path = file_of(build_id);
  if (path.empty()) return;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  auto fresh = path;
  fresh += fmt::format(".{}", ::getpid());
  {
    std::ofstream out(fresh);
    out << layout_as_text(row);
    if (!out.flush()) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) fs::rename(fresh, path, failed);
  if (failed) fs::remove(fresh, failed);
}

}  // namespace tidegauge::census
