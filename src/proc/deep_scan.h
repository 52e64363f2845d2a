// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proc/collector.h"
#include "proc/family_walk.h"
#include "proc/turns.h"
#include "proc/warnings.h"
#include "proc/watched.h"

namespace tidegauge::proc {

// Finds out, now and then, how much of its memory each process has to itself and how much it shares
// (USS, PSS), which takes a walk over page tables. Two rules come before all: never to stop the
// process for longer than it could notice, and never to spend more than a share of one core.
class DeepScanner {
 public:
  explicit DeepScanner(const CollectOptions& options);

  // Works for a few milliseconds at most (the first time longer), if something is due. What was
  // found is in the members' `deep.fresh`. The CPU time that it took.
  double work(std::int64_t now_ns, const Root& root, std::span<Watched> members,
              Warnings& warnings);

 private:
  void earn(std::int64_t now_ns);
  Watched* most_urgent(std::span<Watched> members) const;
  bool is_due(const Watched& watched) const;
  bool suits_rollup(const Watched& watched) const;
  void read_rollup(const Root& root, Watched& watched, Warnings& warnings);
  void begin_walk(const Root& root, const Watched& first, std::span<const Watched> members);
  void end_walk(std::span<Watched> members, Warnings& warnings);
  void take(Watched& watched, const Shares& shares);
  void give_up(Watched& watched, const Error& why, Warnings& warnings);

  bool wanted_;
  double budget_;          // share of one core
  double credit_seconds_;  // of CPU time that may be spent now
  std::int64_t now_ns_ = 0;
  std::optional<std::int64_t> earned_ns_;
  std::int64_t rest_until_ns_ = 0;
  double longest_rollup_seconds_;
  std::optional<Turns> turns_;  // while working
  std::optional<FamilyWalk> walk_;
  record::ProcessId walk_for_{};  // whose turn it was
  double walk_cost_seconds_ = 0;
};

}  // namespace tidegauge::proc
