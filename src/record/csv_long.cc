// SPDX-License-Identifier: Apache-2.0
// Long form: a row per process and moment. A logger that asks one process after the other gives
// each its own time, so rows that lie close together are one look at the tree. A process that lacks
// a row between two of its rows is taken to be as it was: a hole in a file must not look like
// memory that was given back.
#include <algorithm>
#include <map>
#include <utility>

#include "record/csv_series.h"

namespace tidegauge::record {

namespace {

// One look at all processes.
struct Look {
  std::int64_t at_ns = 0;
  std::map<ProcessId, const TableRow*> rows{};
};

std::vector<Look> group(const std::vector<const TableRow*>& rows, std::int64_t interval_ns) {
  std::vector<Look> looks;
  for (const auto* row : rows) {
    const bool same =
        !looks.empty() && !looks.back().rows.contains(row->process.id) &&
        (row->at_ns == looks.back().at_ns || row->at_ns - looks.back().at_ns < interval_ns / 2);
    if (!same) looks.push_back({.at_ns = row->at_ns});
    looks.back().rows[row->process.id] = row;
  }
  return looks;
}

class Builder {
 public:
  Builder(const Table& table, const std::vector<Look>& looks, std::size_t rows)
      : table_(table), looks_(looks), marks_(table.clock), may_hold_(2 * rows) {
    for (std::size_t i = 0; i < looks.size(); ++i) {
      for (const auto& [id, row] : looks[i].rows) last_look_[id] = i;
    }
  }

  Result<LongForm> build() {
    for (std::size_t i = 0; i < looks_.size(); ++i) {
      hold(i);
      if (const auto done = add(looks_[i]); !done) return done.error();
    }
    return std::move(out_);
  }

 private:
  // Brings `present_` up to date: rows of this look, and of those who will come again.
  void hold(std::size_t look) {
    for (auto at = present_.begin(); at != present_.end();) {
      const bool comes_again = last_look_.at(at->first) > look && may_hold_ > 0;
      const bool here = looks_[look].rows.contains(at->first);
      if (!here && comes_again) {
        ++out_.missing;
        --may_hold_;
      }
      at = here || comes_again ? std::next(at) : present_.erase(at);
    }
    for (const auto& [id, row] : looks_[look].rows) present_[id] = row;
  }

  Result<> add(const Look& look) {
    Sample sample{.at_ns = look.at_ns};
    const TableRow* furthest = nullptr;  // ranks go in step, give or take one
    for (const auto& [id, row] : look.rows) {
      describe(*row, look.at_ns);
      if (furthest == nullptr || row->step > furthest->step) furthest = row;
    }
    if (furthest != nullptr) {
      for (auto& event : marks_.add(*furthest, look.at_ns)) {
        out_.entries.emplace_back(std::move(event));
      }
    }
    for (const auto& [id, row] : present_) {
      auto facts = facts_of(table_, *row);
      if (!facts) return facts.error();
      ProcessSample process{.id = id};
      for (const auto& [column, bytes] : facts->series) {
        if (column->kind != nullptr) {
          process.memory.*(column->kind) = bytes;
        } else {
          process.others.push_back({column->name, static_cast<double>(bytes)});
        }
      }
      sample.processes.push_back(std::move(process));
      if (facts->machine) sample.machine = facts->machine;
      if (!facts->cgroups.empty()) sample.cgroups = std::move(facts->cgroups);
    }
    out_.entries.emplace_back(std::move(sample));
    return Ok{};
  }

  void describe(const TableRow& row, std::int64_t at_ns) {
    auto process = row.process;
    const auto parent = by_pid_.find(row.process.parent.pid);
    if (parent != by_pid_.end()) process.parent = parent->second;
    by_pid_[process.id.pid] = process.id;
    auto [at, is_new] = known_.try_emplace(process.id, process);
    process.at_ns = at->second.at_ns;
    if (!is_new && at->second == process) return;
    process.at_ns = at_ns;
    at->second = process;
    out_.entries.emplace_back(std::move(process));
  }

  const Table& table_;
  const std::vector<Look>& looks_;
  MarkColumns marks_;
  std::size_t may_hold_;  // a file of holes must not become a recording many times its size
  std::map<ProcessId, std::size_t> last_look_{};
  std::map<ProcessId, const TableRow*> present_{};
  std::map<ProcessId, Process> known_{};
  std::map<pid_t, ProcessId> by_pid_{};
  LongForm out_{};
};

}  // namespace

Result<LongForm> long_form(const Table& table, const OrderedRows& ordered,
                           std::int64_t interval_ns) {
  const auto looks = group(ordered.rows, interval_ns);
  return Builder(table, looks, ordered.rows.size()).build();
}

}  // namespace tidegauge::record
