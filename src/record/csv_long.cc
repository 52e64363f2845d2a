// SPDX-License-Identifier: Apache-2.0
// Long form: a row per process and moment. A logger that asks one process after the other gives
// each its own time, so rows that lie close together are one look at the tree. A process that lacks
// a row between two of its rows is taken to be as it was: a hole in a file must not look like
// memory that was given back.
#include <cmath>
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

// Calls `take` with one look after the other.
template <class Take>
Result<> each_look(const Table& table, const std::vector<const TableRow*>& rows,
                   std::int64_t interval_ns, const Take& take) {
  Look look;
  for (const auto* row : rows) {
    const auto& id = table.process_of(*row).id;
    const bool same = !look.rows.empty() && !look.rows.contains(id) &&
                      (row->at_ns == look.at_ns || row->at_ns - look.at_ns < interval_ns / 2);
    if (!same && !look.rows.empty()) {
      if (auto done = take(look); !done) return done;
    }
    if (!same) look = {.at_ns = row->at_ns};
    look.rows[id] = row;
  }
  return look.rows.empty() ? Result<>(Ok{}) : take(look);
}

class Builder {
 public:
  Builder(const Table& table, const OrderedRows& ordered, std::int64_t interval_ns,
          const TakeEntry& take)
      : table_(table),
        rows_(ordered.rows),
        interval_ns_(interval_ns),
        take_(take),
        marks_(table.clock),
        may_hold_(2 * ordered.rows.size()) {}

  Result<std::size_t> build() {
    std::size_t number = 0;
    auto done = each_look(table_, rows_, interval_ns_, [&](const Look& look) -> Result<> {
      for (const auto& [id, row] : look.rows) last_look_[id] = number;
      ++number;
      return Ok{};
    });
    number = 0;
    done = each_look(table_, rows_, interval_ns_, [&](const Look& look) {
      hold(look, number++);
      return add(look);
    });
    return done ? Result<std::size_t>(missing_) : done.error();
  }

 private:
  // Brings `present_` up to date: rows of this look, and of those who will come again.
  void hold(const Look& look, std::size_t number) {
    for (auto at = present_.begin(); at != present_.end();) {
      const bool comes_again = last_look_.at(at->first) > number && may_hold_ > 0;
      const bool here = look.rows.contains(at->first);
      if (!here && comes_again) {
        ++missing_;
        --may_hold_;
      }
      at = here || comes_again ? std::next(at) : present_.erase(at);
    }
    for (const auto& [id, row] : look.rows) present_[id] = row;
  }

  Result<> add(const Look& look) {
    Sample sample{.at_ns = look.at_ns};
    const TableRow* furthest = nullptr;  // ranks go in step, give or take one
    for (const auto& [id, row] : look.rows) {
      describe(*row, look.at_ns);
      if (furthest == nullptr || is_further(row->step, furthest->step)) furthest = row;
    }
    if (furthest != nullptr) {
      for (auto& event : marks_.add(*furthest, look.at_ns)) {
        take_(std::move(event));
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
    take_(std::move(sample));
    return Ok{};
  }

  static bool is_further(double step, double than) {
    return !std::isnan(step) && (std::isnan(than) || step > than);
  }

  void describe(const TableRow& row, std::int64_t at_ns) {
    auto process = table_.process_of(row);
    const auto parent = by_pid_.find(process.parent.pid);
    if (parent != by_pid_.end()) process.parent = parent->second;
    by_pid_[process.id.pid] = process.id;
    auto [at, is_new] = known_.try_emplace(process.id, process);
    process.at_ns = at->second.at_ns;
    if (!is_new && at->second == process) return;
    process.at_ns = at_ns;
    at->second = process;
    take_(std::move(process));
  }

  const Table& table_;
  const std::vector<const TableRow*>& rows_;
  std::int64_t interval_ns_;
  const TakeEntry& take_;
  MarkColumns marks_;
  std::size_t may_hold_;  // a file of holes must not become a recording many times its size
  std::map<ProcessId, std::size_t> last_look_{};
  std::map<ProcessId, const TableRow*> present_{};
  std::map<ProcessId, Process> known_{};
  std::map<pid_t, ProcessId> by_pid_{};
  std::size_t missing_ = 0;
};

}  // namespace

Result<std::size_t> long_form(const Table& table, const OrderedRows& ordered,
                              std::int64_t interval_ns, const TakeEntry& take) {
  return Builder(table, ordered, interval_ns, take).build();
}

}  // namespace tidegauge::record
