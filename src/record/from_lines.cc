// SPDX-License-Identifier: Apache-2.0
// Formats of a value or two a line: mprof and psrecord.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "record/csv_rows.h"
#include "record/foreign_formats.h"
#include "record/wide_table.h"

namespace tidegauge::record {

namespace {

constexpr std::size_t kLinesToKnow = 5;

Error too_much(std::size_t line) {
  return at_line(line, "more columns or values than can be judged: thin them out first");
}

std::optional<double> finite(std::string_view word) {
  const auto value = to_number<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// "MEM 123.4 1400000000.1", and with children "CHLD 3 12.3 1400000000.1". Sizes are MiB.
bool looks_like_mprof(std::string_view text) {
  for (std::size_t i = 0; i < kLinesToKnow && !text.empty(); ++i) {
    auto line = next_line(text);
    const auto word = next_word(line);
    if (word == "MEM") return finite(next_word(line)) && finite(next_word(line));
    if (word != "CMDLINE" && word != "FUNC" && word != "CHLD" && !word.empty()) return false;
  }
  return false;
}

// psrecord separates the titles of its columns by two blanks or more: they have blanks themselves.
std::vector<std::string> titles_of(std::string_view comment) {
  std::vector<std::string> out;
  comment = trimmed(comment.substr(1));
  while (!comment.empty()) {
    const auto end = std::min(comment.find("  "), comment.size());
    out.emplace_back(trimmed(comment.substr(0, end)));
    comment = trimmed(comment.substr(end));
  }
  return out;
}

bool is_resident(const std::string& title) {
  return lower(title).substr(0, 4) == "real";
}

}  // namespace

AsCsv from_mprof(std::string_view text) {
  if (!looks_like_mprof(text)) return {};
  WideTable table("time");
  for (std::size_t number = 1; !text.empty(); ++number) {
    const bool last = text.find('\n') == text.npos;
    auto line = next_line(text);
    const auto word = next_word(line);
    if (last) break;  // cut: still being written
    if (word != "MEM" && word != "CHLD") continue;
    std::string column = "rss_mib";
    if (word == "CHLD") column = fmt::format("child {} (MiB)", printable(next_word(line)));
    const auto size = finite(next_word(line));
    const auto at = finite(next_word(line));
    if (!size || !at || *size < 0) {
      return at_line(number, fmt::format("{} should be followed by MiB and a time", word));
    }
    if (!table.add(*at, column, *size)) return too_much(number);
  }
  return table.csv();
}

AsCsv from_psrecord(std::string_view text) {
  const auto first = trimmed(text.substr(0, text.find('\n')));
  if (first.empty() || first[0] != '#' || first.find("Elapsed time") == first.npos) return {};
  const auto titles = titles_of(first);
  WideTable table("time");
  for (std::size_t number = 1; !text.empty(); ++number) {
    const bool last = text.find('\n') == text.npos;
    auto line = trimmed(next_line(text));
    if (last) break;  // cut: still being written
    if (line.empty() || line[0] == '#') continue;
    std::optional<double> at;
    for (const auto& title : titles) {
      const auto word = next_word(line);
      const auto value = finite(word);
      if (!value) {
        return at_line(
            number, fmt::format("{} in column {} is not a number", quoted(word), printable(title)));
      }
      if (!at) at = value;
      // Virtual memory is no memory that anybody holds.
      if (is_resident(title) && !table.add(*at, title, *value)) return too_much(number);
    }
  }
  if (table.empty()) return at_line(1, "there is no column Real (MB), or no row below it");
  return table.csv();
}

}  // namespace tidegauge::record
