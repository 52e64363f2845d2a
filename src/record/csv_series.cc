// SPDX-License-Identifier: Apache-2.0
#include "record/csv_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

constexpr double kMostBytes = 9e18;  // fits into 64 bits
// Groups of version 1 that have no limit say some 9.2e18.
constexpr double kNoLimit = 1e18;

bool is_number(Meaning meaning) {
  return meaning == Meaning::Series || meaning == Meaning::Limit ||
         meaning == Meaning::MachineTotal || meaning == Meaning::MachineAvailable;
}

Result<> need_clock_and_series(const std::vector<Column>& columns, std::size_t header_line) {
  const auto found = titles_of(columns);
  if (!find_column(columns, Meaning::Time) && !find_column(columns, Meaning::Step)) {
    return at_line(header_line, fmt::format("no column is called time or step (found {}): expected "
                                            "a header such as time,rss_mb",
                                            found));
  }
  if (find_column(columns, Meaning::Series)) return Ok{};
  return at_line(header_line, fmt::format("no column holds memory (found {}): expected names that "
                                          "end in _bytes, _kb, _mb or _gb, or --unit for the "
                                          "others",
                                          found));
}

}  // namespace

Result<std::vector<std::size_t>> choose_series(std::vector<Column>& columns,
                                               std::optional<double> unit_bytes,
                                               std::size_t header_line) {
  std::vector<std::size_t> numbers;
  std::set<std::string> names;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& column = columns[i];
    if (column.meaning == Meaning::Value) column.meaning = Meaning::Series;
    if (!is_number(column.meaning)) continue;
    if (!column.unit) column.unit = unit_bytes;
    if (!column.unit && (column.kind != nullptr || column.meaning != Meaning::Series)) {
      return at_line(header_line,
                     fmt::format("column {0} does not say its unit: call it {0}_mb (or _kb, _gb, "
                                 "_bytes), or give --unit",
                                 column.title));
    }
    if (!column.unit) {
      column.meaning = Meaning::Ignored;
      continue;
    }
    if (!titles.insert(column.title).second) {
      return at_line(header_line, fmt::format("column {} is there twice", column.title));
    }
    if (!names.insert(column.name).second) {  // rss_mb beside rss_kb
      column.name = column.title;
      column.kind = nullptr;
    }
    numbers.push_back(i);
  }
  if (const auto enough = need_clock_and_series(columns, header_line); !enough) {
    return enough.error();
  }
  return numbers;
}

Result<RowFacts> facts_of(const Table& table, const TableRow& row) {
  RowFacts facts;
  for (const auto& [number, value] : table.values_of(row)) {
    const auto& column = table.columns[table.numbers[number]];
    if (value < 0) {
      return at_line(row.line, fmt::format("{} in column {}: memory cannot be less than nothing",
                                           value, column.title));
    }
    const bool no_limit = value == 0 || value * *column.unit > kNoLimit;
    if (column.meaning == Meaning::Limit && no_limit) continue;
    if (value * *column.unit > kMostBytes) {
      return at_line(row.line, fmt::format("{} in column {} is more than any machine has", value,
                                           column.title));
    }
    const auto bytes = static_cast<std::uint64_t>(std::llround(value * *column.unit));
    if (column.meaning == Meaning::Limit) {
      facts.cgroups = {Cgroup{.path = "", .limit = bytes}};
    } else if (column.meaning == Meaning::Series) {
      facts.series.push_back({&column, bytes});
    } else {
      if (!facts.machine) facts.machine.emplace();
      auto& machine = *facts.machine;
      (column.meaning == Meaning::MachineTotal ? machine.total : machine.available) = bytes;
    }
  }
  return facts;
}

OrderedRows in_order(const Table& table) {
  OrderedRows out;
  out.rows.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    out.unsorted += !out.rows.empty() && row.at_ns < out.rows.back()->at_ns ? 1 : 0;
    out.rows.push_back(&row);
  }
  const auto place = [&](const TableRow* row) {
    return std::pair(row->at_ns, table.process_of(*row).id);
  };
  const auto before = [&](const auto* a, const auto* b) { return place(a) < place(b); };
  // Most files are in order, and sorting takes as much memory again.
  if (!std::is_sorted(out.rows.begin(), out.rows.end(), before)) {
    std::stable_sort(out.rows.begin(), out.rows.end(), before);
  }
  std::size_t kept = 0;
  for (const auto* row : out.rows) {
    const bool again = kept > 0 && place(out.rows[kept - 1]) == place(row);
    if (again) --kept;
    out.duplicated += again ? 1 : 0;
    out.rows[kept++] = row;
  }
  out.rows.resize(kept);
  return out;
}

std::int64_t typical_interval(const Table& table, const std::vector<const TableRow*>& rows) {
  std::map<ProcessId, std::int64_t> last;
  std::vector<std::int64_t> gaps;
  for (const auto* row : rows) {
    const auto [at, is_new] = last.try_emplace(table.process_of(*row).id, row->at_ns);
    if (!is_new) gaps.push_back(row->at_ns - std::exchange(at->second, row->at_ns));
  }
  if (gaps.empty()) return 0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

std::vector<Event> MarkColumns::add(const TableRow& row, std::int64_t at_ns) {
  std::vector<Event> events;
  const Event mark{.at_ns = at_ns, .source = MarkSource::File};
  // Where steps are the clock, an event at every step would say nothing.
  if (clock_ == Clock::Seconds && !std::isnan(row.step) && row.step != step_) {
    step_ = row.step;
    events.push_back(mark);
    events.back().kind = EventKind::Step;
    events.back().value = row.step;
  }
  const double epoch = std::floor(row.epoch);
  if (!std::isnan(epoch) && epoch != epoch_) {
    epoch_ = epoch;
    events.push_back(mark);
    events.back().kind = EventKind::Epoch;
    events.back().value = epoch;
  }
  return events;
}

}  // namespace tidegauge::record
