// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "record/csv_series.h"
#include "record/foreign.h"

namespace tidegauge::record {

namespace {

using Meaning = Column::Meaning;

constexpr double kNsPerSecond = 1e9;

// value and total, where a marker has them; everything else that is no mark is passed over.
Result<std::vector<std::size_t>> choose_marks(std::vector<Column>& columns,
                                              std::optional<double> /*unit_bytes*/,
                                              std::size_t header_line) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& column = columns[i];
    if (column.title == "total") column.meaning = Meaning::Total;
    if (column.meaning == Meaning::Value || column.meaning == Meaning::Total) numbers.push_back(i);
  }
  const auto has = [&](Meaning meaning) { return find_column(columns, meaning).has_value(); };
  if ((has(Meaning::Time) || has(Meaning::Step)) &&
      (has(Meaning::Event) || has(Meaning::Step) || has(Meaning::Epoch))) {
    return numbers;
  }
  return at_line(header_line, fmt::format("expected markers with a header such as "
                                          "time,step,epoch,event, found {}",
                                          titles_of(columns)));
}

struct Word {
  EventKind kind = EventKind::Note;
  std::string name{};
};

// "eval_start" begins a phase, "eval_end" ends it. A bare "save" or "eval" ends one that was begun,
// and is a moment of its own otherwise.
Word understand_word(const std::string& word) {
  const auto ends_in = [&](std::string_view tail) {
    return word.size() > tail.size() &&
           word.compare(word.size() - tail.size(), tail.npos, tail) == 0;
  };
  for (const std::string_view tail : {"_start", "_begin"}) {
    if (ends_in(tail)) return {EventKind::PhaseBegin, word.substr(0, word.size() - tail.size())};
  }
  for (const std::string_view tail : {"_end", "_stop", "_done"}) {
    if (ends_in(tail)) return {EventKind::PhaseEnd, word.substr(0, word.size() - tail.size())};
  }
  for (const std::string_view phase : {"eval", "save", "compile", "predict"}) {
    if (word == phase) return {EventKind::PhaseEnd, word};
  }
  if (word == "distinct") return {EventKind::Distinct, ""};
  return {EventKind::Note, word};
}

class MarkReader {
 public:
  explicit MarkReader(const Table& table) : table_(table) {}

  void add(const TableRow& row) {
    Event event{.at_ns = row.at_ns + table_.started_unix_ns,
                .process = table_.process_of(row).id,
                .source = MarkSource::File};
    if (!std::isnan(row.step) && row.step != step_) {
      emit(event, EventKind::Step, step_ = row.step);
    }
    const double epoch = std::floor(row.epoch);
    if (!std::isnan(epoch) && epoch != epoch_) emit(event, EventKind::Epoch, epoch_ = epoch);
    const auto& text = table_.events[row.event];
    if (text.empty() || text == "step" || text == "epoch") return;
    const auto word = understand_word(text);
    event.name = word.name;
    if (word.kind == EventKind::PhaseBegin) open_.insert(word.name);
    if (word.kind == EventKind::PhaseEnd && open_.erase(word.name) == 0) {
      emit(event, EventKind::PhaseBegin, {});
    }
    event.total = number(row, Meaning::Total);
    emit(event, word.kind, number(row, Meaning::Value));
  }
  std::vector<Event> take() { return std::move(events_); }

 private:
  void emit(Event event, EventKind kind, std::optional<double> value) {
    event.kind = kind;
    event.value = value;
    events_.push_back(std::move(event));
  }
  std::optional<double> number(const TableRow& row, Meaning meaning) const {
    for (const auto& [number, value] : table_.values_of(row)) {
      if (table_.columns[table_.numbers[number]].meaning == meaning) return value;
    }
    return {};
  }

  const Table& table_;
  std::vector<Event> events_{};
  double step_ = TableRow::kNone;
  double epoch_ = TableRow::kNone;
  std::set<std::string> open_{};
};

// When each step was, as far as a recording knows.
std::map<double, std::int64_t> times_of_steps(const Recording& recording) {
  std::map<double, std::int64_t> times;
  for (const auto& entry : recording.entries) {
    const auto* event = std::get_if<Event>(&entry);
    if (event != nullptr && event->kind == EventKind::Step && event->value) {
      times.try_emplace(*event->value, event->at_ns);
    }
  }
  return times;
}

// Between two known ones in proportion; before the first and after the last at the pace of the
// whole.
std::int64_t between(const std::map<double, std::int64_t>& known, double x) {
  auto after = known.lower_bound(x);
  if (after != known.end() && after->first == x) return after->second;
  auto before = known.begin();
  if (after == known.begin() || after == known.end()) {
    after = std::prev(known.end());
  } else {
    before = std::prev(after);
  }
  const double pace = static_cast<double>(after->second - before->second) /
                      std::max(after->first - before->first, 1e-9);
  return before->second + std::llround((x - before->first) * pace);
}

}  // namespace

Result<Markers> parse_markers(std::string_view text) {
  auto found = CsvRows::open(text);
  if (!found) return found.error();
  auto table = read_table(*std::move(found), {}, choose_marks, "time,step,epoch,event");
  if (!table) return table.error();
  Markers markers{.clock = table->clock, .unix_time = table->started_unix_ns != 0};
  std::stable_sort(table->rows.begin(), table->rows.end(),
                   [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  MarkReader reader(*table);
  for (const auto& row : table->rows) reader.add(row);
  markers.events = reader.take();
  return markers;
}

Result<> merge(Recording& recording, const Markers& markers) {
  auto events = markers.events;
  const auto& header = recording.header;
  if (markers.clock == header.clock) {
    if (markers.unix_time && header.started_unix_ns == 0) {
      return Error{Reason::Malformed,
                   "the markers have dates, but the series does not say when it began"};
    }
    for (auto& event : events) event.at_ns -= markers.unix_time ? header.started_unix_ns : 0;
    merge(recording, std::move(events));
    return Ok{};
  }
  // One counts steps, the other seconds: the steps that one of them has with a time lead across.
  std::map<double, std::int64_t> known;
  if (header.clock == Clock::Seconds) {
    known = times_of_steps(recording);
  } else {
    for (const auto& event : events) {
      if (event.kind != EventKind::Step) continue;
      known.try_emplace(static_cast<double>(event.at_ns),
                        std::llround(*event.value * kNsPerSecond));
    }
  }
  if (known.size() < 2) {
    return Error{Reason::Malformed,
                 header.clock == Clock::Seconds
                     ? "the markers count steps, but the series has no step column"
                     : "the series counts steps, but the markers do not say when a step was"};
  }
  for (auto& event : events) {
    const auto at = static_cast<double>(event.at_ns);
    event.at_ns = between(known, header.clock == Clock::Seconds ? at / kNsPerSecond : at);
  }
  merge(recording, std::move(events));
  return Ok{};
}

void merge(Recording& recording, std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
  std::vector<Entry> merged;
  merged.reserve(recording.entries.size() + events.size());
  auto event = events.begin();
  for (auto& entry : recording.entries) {
    // Processes are described just before the sample that first has them, whatever their time.
    const bool sample = std::holds_alternative<Sample>(entry);
    for (; sample && event != events.end() && event->at_ns <= at_of(entry); ++event) {
      merged.emplace_back(std::move(*event));
    }
    merged.push_back(std::move(entry));
  }
  std::move(event, events.end(), std::back_inserter(merged));
  recording.entries = std::move(merged);
}

}  // namespace tidegauge::record
