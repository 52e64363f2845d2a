// SPDX-License-Identifier: Apache-2.0
#include "view/timeline.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tidegauge::view {

namespace {

constexpr std::size_t kMostNamed = 16;
constexpr std::size_t kMostGaps = 256;
// A pause this many times as long as usual is a gap: a look may be late, or put off because looking
// costs too much.
constexpr double kGapTimes = 5;
// The floor looks ahead by this share of what was seen, as it does in the terminal.
constexpr std::size_t kFloorReach = 16;
constexpr std::size_t kLeastReach = 2;
constexpr double kPaceMemory = 0.1;  // how fast "usual" follows a change of pace

float value_of(const record::Bytes& bytes) {
  return bytes ? static_cast<float>(*bytes) : ThinTable::kUnknown;
}

bool tells_memory(const record::Sample& sample) {
  return std::any_of(sample.processes.begin(), sample.processes.end(), [](const auto& seen) {
    return seen.memory.rss || seen.memory.pss || seen.memory.anon;
  });
}

void append_kinds(std::vector<float>& values, const record::Ledger& ledger) {
  for (const auto line : kLines) {
    switch (line) {
      case Line::Total:
        values.push_back(static_cast<float>(ledger.total));
        break;
      case Line::Anon:
        values.push_back(value_of(ledger.anon));
        break;
      case Line::File:
        values.push_back(value_of(ledger.file));
        break;
      case Line::Shmem:
        values.push_back(value_of(ledger.shmem));
        break;
      case Line::Swap:
        values.push_back(value_of(ledger.swap));
        break;
      case Line::PageTables:
        values.push_back(value_of(ledger.page_tables));
        break;
      case Line::Hugetlb:
        values.push_back(value_of(ledger.hugetlb));
        break;
      case Line::Gpu:
        values.push_back(value_of(ledger.gpu));
        break;
      case Line::Unexplained:
        values.push_back(ledger.charged ? static_cast<float>(ledger.unexplained)
                                        : ThinTable::kUnknown);
        break;
    }
  }
}

}  // namespace

void Timeline::begin(const record::Header& header) {
  usual_ = header.interval_seconds;
}

void Timeline::add(const record::Entry& entry, const record::LedgerKeeper& ledgers) {
  if (const auto* sample = std::get_if<record::Sample>(&entry)) add(*sample, ledgers);
  if (const auto* process = std::get_if<record::Process>(&entry)) bands_.add(*process);
  if (const auto* event = std::get_if<record::Event>(&entry)) {
    progress_.add(*event);
    pace_.add(*event, progress_);
    holdings_.add(*event);
  }
}

void Timeline::look_for_gap(double at) {
  if (last_at_ >= 0 && at > last_at_) {
    const double pause = at - last_at_;
    if (pause > kGapTimes * usual_ && usual_ > 0) {
      if (gaps_.size() < kMostGaps) gaps_.push_back({last_at_, at});
    } else {
      usual_ += kPaceMemory * (pause - usual_);
    }
  }
  last_at_ = at;
}

void Timeline::add_tree(const record::Sample& sample, const record::LedgerKeeper& ledgers,
                        double at) {
  kinds_ = true;
  values_.clear();
  append_kinds(values_, ledgers.last());
  const std::size_t first = values_.size();
  values_.resize(first + bands_.all().size(), 0.0F);
  for (std::size_t i = 0; i < sample.processes.size(); ++i) {
    const auto band = bands_.band_of(sample.processes[i].id);
    if (first + band >= values_.size()) values_.resize(first + band + 1, 0.0F);
    values_[first + band] += static_cast<float>(ledgers.own_at(i));
  }
  tree_.add(at, progress_.step(), values_);
}

void Timeline::add_named(const record::Sample& sample, double at) {
  values_.assign(named_.size(), ThinTable::kUnknown);
  const auto put = [this](const record::NamedBytes& series) {
    const auto found = std::find(named_.begin(), named_.end(), series.name);
    const auto column = static_cast<std::size_t>(found - named_.begin());
    if (found == named_.end()) {
      if (named_.size() == kMostNamed) return;
      named_.push_back(series.name);
      values_.push_back(ThinTable::kUnknown);
    }
    values_[column] = static_cast<float>(series.bytes);
  };
  for (const auto& seen : sample.processes) {
    for (const auto& series : seen.others) put(series);
  }
  for (const auto& series : sample.others) put(series);
  if (!values_.empty()) tree_.add(at, progress_.step(), values_);
}

void Timeline::add_processes(const record::Sample& sample, const record::LedgerKeeper& ledgers,
                             double at) {
  process_values_.assign(process_ids_.size(), ThinTable::kUnknown);
  for (std::size_t i = 0; i < sample.processes.size(); ++i) {
    const auto& seen = sample.processes[i];
    auto found = column_of_.find(seen.id);
    if (found == column_of_.end()) {
      if (process_ids_.size() == kMostProcesses) continue;
      found = column_of_.emplace(seen.id, process_ids_.size()).first;
      process_ids_.push_back(seen.id);
      process_values_.push_back(ThinTable::kUnknown);
    }
    process_values_[found->second] = static_cast<float>(ledgers.own_at(i));
  }
  processes_.add(at, progress_.step(), process_values_);
}

// Most samples of a job find all as the one before did: nobody is looked at again.
bool Timeline::add_as_before(const record::LedgerKeeper& ledgers, double at) {
  if (!may_repeat_ || !ledgers.as_before()) return false;
  tree_.add(at, progress_.step(), values_);
  processes_.add(at, progress_.step(), process_values_);
  return true;
}

void Timeline::add(const record::Sample& sample, const record::LedgerKeeper& ledgers) {
  const double at = seconds_of(sample.at_ns);
  look_for_gap(at);
  over_ = kinds_ && sample.processes.empty();
  if (add_as_before(ledgers, at)) return;
  may_repeat_ = tells_memory(sample);
  if (may_repeat_) {
    add_tree(sample, ledgers, at);
    add_processes(sample, ledgers, at);
  } else if (!kinds_) {
    add_named(sample, at);
  }
}

namespace {

// How many columns come before the fall at the end, if there is one.
std::size_t before_the_end(std::span<const Column> columns) {
  const std::size_t moments = std::min(kLastMoments, columns.empty() ? 0 : columns.size() - 1);
  for (std::size_t i = columns.size() - moments; i < columns.size(); ++i) {
    if (columns[i].low < kFellAtTheEnd * columns[i - 1].low) return i;
  }
  return columns.size();
}

// Of what rises just before a job's end nobody knows whether it would have stayed: there, the floor
// rises no faster than before.
void hold_the_last_rise(std::span<Column> columns, std::size_t whole, std::size_t reach) {
  if (whole <= 2 * reach) return;
  const double level = columns[whole - reach - 1].floor;
  const double risen = level - columns[whole - 2 * reach - 1].floor;
  double most = level + std::max(risen, 0.0);
  if (whole < columns.size()) most = std::max(most, columns[whole].low);
  for (auto i = whole - reach; i < whole; ++i) {
    columns[i].floor = std::min(columns[i].floor, most);
  }
}

}  // namespace

std::vector<Column> tree_columns(const Timeline& timeline, const Progress& progress) {
  const auto& table = timeline.tree();
  if (table.rows().empty()) return {};
  const auto cells = table.cells(0);
  std::vector<Column> columns(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns[i].known = !std::isnan(cells[i].low);
    columns[i].low = static_cast<double>(cells[i].low);
    columns[i].high = static_cast<double>(cells[i].high);
    const auto& row = table.rows()[i];
    columns[i].in_phase =
        std::any_of(progress.phases().begin(), progress.phases().end(), [&row](const Phase& phase) {
          return phase.begin <= row.to && row.from <= phase.end.value_or(row.from);
        });
  }
  const auto reach = std::max(kLeastReach, columns.size() / kFloorReach);
  const auto whole = timeline.over() ? before_the_end(columns) : columns.size();
  mark_floor(std::span(columns).first(whole), reach);
  mark_floor(std::span(columns).subspan(whole), reach);
  if (timeline.over()) hold_the_last_rise(columns, whole, reach);
  return columns;
}

}  // namespace tidegauge::view
