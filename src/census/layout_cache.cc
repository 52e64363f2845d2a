// SPDX-License-Identifier: Apache-2.0
#include "census/layout_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <map>
#include <memory>

#include "base/fd.h"
#include "base/owner_only.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "base/write_all.h"

namespace tidegauge::census {

namespace fs = std::filesystem;

namespace {

// What says 1 was learned from a program of the process's own, which may have said anything.
constexpr std::string_view kFirstLine = "tidegauge layout 2";

constexpr std::size_t kMostKept = 256;
constexpr std::size_t kMostFileBytes = 16 << 10;
constexpr std::size_t kMostIdDigits = 128;

fs::path folder_of_layouts() {
  const auto folder = folder_of_ours(kUserCache);
  return folder ? fs::path(*folder) / "pythons" : fs::path();
}

// A name that is no way to somewhere else.
bool is_build_id(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return !name.empty() && name.size() <= kMostIdDigits &&
         name.find_first_not_of(kDigits) == name.npos;
}

bool is_only_ours(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<Layout> layout_in(int folder, const char* name) {
  const UniqueFd file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !is_only_ours(status) || status.st_size > static_cast<off_t>(kMostFileBytes)) {
    return {};
  }
  std::string text(kMostFileBytes, '\0');
  const auto got = ::pread(file.get(), text.data(), text.size(), 0);
  if (got <= 0) return {};
  return parse_layout(std::string_view(text).substr(0, static_cast<std::size_t>(got)));
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

std::vector<KeptLayout> kept_layouts() {
  std::vector<KeptLayout> all;
  const auto path = folder_of_layouts();
  if (path.empty()) return all;
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(fd), ::closedir);
  struct stat status {};
  if (!folder || ::fstat(fd, &status) != 0 || !is_only_ours(status)) return all;
  while (const dirent* const entry = ::readdir(folder.get())) {
    if (all.size() == kMostKept) break;
    if (!is_build_id(entry->d_name)) continue;
    if (const auto row = layout_in(fd, entry->d_name)) all.push_back({entry->d_name, *row});
  }
  return all;
}

void keep_layout(const std::string& build_id, const Layout& row) {
  const auto folder = folder_of_layouts();
  if (folder.empty() || !is_build_id(build_id)) return;
  std::error_code failed;
  fs::create_directories(folder, failed);
  fs::permissions(folder, fs::perms::owner_all, failed);
  const auto path = folder / build_id;
  const auto fresh = folder / fmt::format("{}.{}", build_id, ::getpid());
  const UniqueFd file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
  if (!file) return;
  const bool written = write_all(file.get(), layout_as_text(row), fresh.string()).operator bool();
  if (written) fs::rename(fresh, path, failed);
  if (!written || failed) fs::remove(fresh, failed);
}

}  // namespace tidegauge::census
