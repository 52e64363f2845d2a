// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "record/csv_series.h"
#include "record/foreign.h"
#include "record/foreign_formats.h"

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

constexpr double kNsPerSecond = 1e9;

// One column per series.
Result<std::vector<Entry>> wide_form(const Table& table, const OrderedRows& ordered) {
  std::vector<Entry> entries;
  MarkColumns marks(table.clock);
  for (const auto* row : ordered.rows) {
    for (auto& event : marks.add(*row, row->at_ns)) entries.emplace_back(std::move(event));
    auto facts = facts_of(table, *row);
    if (!facts) return facts.error();
    Sample sample{
        .at_ns = row->at_ns, .machine = facts->machine, .cgroups = std::move(facts->cgroups)};
    for (const auto& [column, bytes] : facts->series) {
      sample.others.push_back({column->name, static_cast<double>(bytes)});
    }
    entries.emplace_back(std::move(sample));
  }
  return entries;
}

bool any_series(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    const auto* sample = std::get_if<Sample>(&entry);
    if (sample == nullptr) return false;
    return !sample->others.empty() ||
           std::any_of(sample->processes.begin(), sample->processes.end(), [](const auto& process) {
             return !(process.memory == Memory{}) || !process.others.empty();
           });
  });
}

}  // namespace

Result<Foreign> parse_csv(std::string_view text, const CsvOptions& options) {
  auto table = read_table(text, options.unit_bytes, choose_series, "time,rss_mb");
  if (!table) return table.error();
  const auto ordered = in_order(table->rows);
  Foreign foreign;
  auto& notes = foreign.notes;
  notes.rows = table->rows.size();
  notes.unsorted = ordered.unsorted;
  notes.duplicated = ordered.duplicated;
  notes.missing = table->missing;
  notes.torn = table->torn;
  for (const auto& column : table->columns) {
    if (column.meaning == Meaning::Ignored) notes.ignored.push_back(column.title);
  }
  const auto interval_ns = typical_interval(ordered.rows);
  auto& recording = foreign.recording;
  recording.header.tool = "csv";
  recording.header.clock = table->clock;
  recording.header.started_unix_ns = table->started_unix_ns;
  recording.header.interval_seconds = static_cast<double>(interval_ns) / kNsPerSecond;
  if (table->has(Meaning::Pid)) {
    auto entries = long_form(*table, ordered, interval_ns);
    if (!entries) return entries.error();
    notes.missing += entries->missing;
    recording.entries = std::move(entries->entries);
  } else {
    auto entries = wide_form(*table, ordered);
    if (!entries) return entries.error();
    recording.entries = *std::move(entries);
  }
  if (!any_series(recording.entries)) {
    return Error{Reason::Malformed, "all cells of all series are empty"};
  }
  return foreign;
}

Result<Foreign> parse_series(std::string_view text, const CsvOptions& options) {
  for (const auto from : {from_json, from_mprof, from_psrecord, from_sizes_csv}) {
    const auto csv = from(text);
    if (!csv) continue;
    if (!*csv) return csv->error();
    return parse_csv(**csv, options);
  }
  return parse_csv(text, options);
}

}  // namespace tidegauge::record
