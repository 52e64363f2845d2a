// SPDX-License-Identifier: Apache-2.0
// CSV whose cells say their unit, as docker stats ("1.5GiB / 31.3GiB") and kubectl top ("1536Mi")
// do, with one row per container: a series for each, and the limit where the cell has it.
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "record/csv_rows.h"
#include "record/csv_time.h"
#include "record/foreign_formats.h"
#include "record/wide_table.h"

namespace tidegauge::record {

namespace {

struct Sized {
  double bytes = 0;
  std::optional<double> limit{};
};

// Binary whatever it is called, as in every CSV that is read here.
std::optional<double> one_size(std::string_view cell) {
  cell = trimmed(cell);
  const auto digits = cell.find_first_not_of("0123456789.");
  if (digits == cell.npos || digits == 0) return {};
  const auto number = to_number<double>(cell.substr(0, digits));
  const auto unit = lower(trimmed(cell.substr(digits)));
  if (!number) return {};
  if (unit == "b") return *number;
  constexpr std::string_view kPowers = "kmgt";
  const auto power = kPowers.find(unit[0]);
  const auto rest = unit.substr(1);
  if (power == kPowers.npos || (!rest.empty() && rest != "i" && rest != "b" && rest != "ib")) {
    return {};
  }
  return *number * std::pow(1024.0, static_cast<double>(power + 1));
}

std::optional<Sized> sized(std::string_view cell) {
  const auto slash = cell.find('/');
  const auto bytes = one_size(cell.substr(0, slash));
  if (!bytes) return {};
  Sized out{.bytes = *bytes};
  if (slash != cell.npos) out.limit = one_size(cell.substr(slash + 1));
  return out;
}

struct Header {
  std::optional<std::size_t> time{};
  std::optional<std::size_t> name{};
  std::optional<std::size_t> memory{};
};

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const auto known : words) {
    if (word == known) return true;
  }
  return false;
}

Header header_of(const CsvRow& row) {
  Header out;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    std::string word = lower(row.cells[i]);
    std::erase_if(word, [](char c) { return c == ' ' || c == '_' || c == '-' || c == '.'; });
    const auto take = [&](std::optional<std::size_t>& place) {
      if (!place) place = i;
    };
    if (is_one_of(word, {"time", "timestamp", "date", "datetime", "ts", "t"})) take(out.time);
    if (is_one_of(word, {"name", "pod", "container", "containername", "podname"})) take(out.name);
    if (is_one_of(word, {"memusage", "memusage/limit", "memory", "mem", "memoryusage",
                         "memory(bytes)", "memused", "rss"})) {
      take(out.memory);
    }
  }
  return out;
}

Error cannot_read(const CsvRow& row, std::size_t column, const char* what) {
  return at_line(row.line, fmt::format("{} is no {}", quoted(row.cells[column]), what));
}

std::optional<double> seconds_of(std::string_view cell) {
  const auto moment = parse_moment(cell);
  if (!moment) return {};
  return moment->is_date ? static_cast<double>(moment->unix_ns) * 1e-9 : moment->number;
}

struct Filled {
  WideTable table{"time"};
  std::set<std::string> names{};
  std::vector<std::pair<double, double>> limits{};
};

Result<> add_row(const Header& header, const CsvRow& row, Filled& out) {
  const auto at = seconds_of(row.cells[*header.time]);
  if (!at) return cannot_read(row, *header.time, "time");
  const auto cell = row.cells[*header.memory];
  if (cell.empty() || cell == "--" || cell == "<unknown>") return Ok{};
  const auto size = sized(cell);
  if (!size) return cannot_read(row, *header.memory, "size such as 1.5GiB or 1536Mi");
  const std::string name = header.name ? printable(row.cells[*header.name]) : "memory";
  if (!out.table.add(*at, name + " (bytes)", size->bytes)) {
    return at_line(row.line, "more columns or values than can be judged");
  }
  out.names.insert(name);
  if (size->limit) out.limits.emplace_back(*at, *size->limit);
  return Ok{};
}

}  // namespace

AsCsv from_sizes_csv(std::string_view text) {
  auto rows = CsvRows::open(text);
  if (!rows) return {};
  const auto first = rows->next();
  if (!first || *first == nullptr) return {};
  const Header header = header_of(**first);
  const std::size_t width = (*first)->cells.size();
  if (!header.time || !header.memory) return {};
  Filled filled;
  bool known = false;
  while (true) {
    const auto row = rows->next();
    if (!row) return known ? AsCsv(row.error()) : AsCsv{};
    if (*row == nullptr) break;
    if (!known && ((*row)->cells.size() != width || !sized((*row)->cells[*header.memory]))) {
      return {};
    }
    known = true;
    if ((*row)->cells.size() != width) {
      if (!(*row)->ended) break;  // still being written
      return at_line((*row)->line,
                     fmt::format("{} cells, the header has {}", (*row)->cells.size(), width));
    }
    if (const auto done = add_row(header, **row, filled); !done) return done.error();
  }
  if (!known || filled.table.empty()) return {};
  // The limit of one container is not that of another.
  if (filled.names.size() == 1) {
    for (const auto& [at, limit] : filled.limits) filled.table.add(at, "limit_bytes", limit);
  }
  return filled.table.csv();
}

}  // namespace tidegauge::record
