// SPDX-License-Identifier: Apache-2.0
// How much a job uses and how much more it may, from files that were opened and read once before:
// reading works where nothing new can be opened, and allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/post_mortem.h"
#include "guard/world.h"
#include "proc/roots.h"

namespace tidegauge::guard {

// One memory group on the way up from the job's own.
struct Gate {
  int version = 1;
  std::string folder{};
  bool with_us = false;  // we are in it, too
  UniqueFd usage{};
  UniqueFd stat{};
  UniqueFd limit{};
  UniqueFd events{};  // version 1: memory.oom_control; version 2: memory.events
  UniqueFd hits{};    // version 1: memory.failcnt; version 2: memory.events.local
};
// Nothing where the folder has no memory files.
Gate open_gate(const std::string& folder, int version);

class Meter : public Scale {
 public:
  // `folders` from the job's group upwards; empty: the machine alone counts.
  static Result<Meter> open(const proc::Roots& roots, const std::vector<std::string>& folders,
                            int version);

  Reading read(double own_limit, const Ours& ours = {}) const override;
  // Where we are ourselves: `folders` of memory groups. From the job's own group up.
  std::vector<std::string> folders() const;  // that count
  void share_with(const std::vector<std::string>& folders);
  // Processes that were killed for want of memory, and limits that were hit.
  KillCounts counts() const;
  // A group above those that can be seen from here may have a limit.
  bool may_have_hidden_limit() const;
  bool has_limit_above() const { return gates_.size() > 1; }
  std::vector<int> fds() const;

 private:
  std::vector<Gate> gates_;
  bool sees_root_ = false;  // of the hierarchy, not merely of what is mounted here
  UniqueFd meminfo_;
  UniqueFd vmstat_;
};

// Of the groups that a process is in.
std::optional<Meter> meter_around(const proc::Roots& roots, pid_t pid);

}  // namespace tidegauge::guard
