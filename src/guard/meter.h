// SPDX-License-Identifier: Apache-2.0
// How much a job uses and how much more it may, from files that were opened and read once before:
// reading works where nothing new can be opened, and allocates nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "proc/roots.h"

namespace tidegauge::guard {

// One memory group on the way up from the job's own.
struct Gate {
  int version = 1;
  UniqueFd usage{};
  UniqueFd stat{};
  UniqueFd limit{};
  UniqueFd events{};  // version 1: memory.oom_control; version 2: memory.events
};
// Nothing where the folder has no memory files.
Gate open_gate(const std::string& folder, int version);

struct Reading {
  double used = 0;          // by the job's group, without page cache
  double charged = 0;       // with it
  double room = 0;          // until the first limit on the way up binds, or the machine has no more
  double binding_used = 0;  // of what binds first, by everybody in it
  double machine_total = 0;
  double machine_available = 0;
  bool known = false;
};

class Meter {
 public:
  // `folders` from the job's group upwards; empty: the machine alone counts.
  static Result<Meter> open(const proc::Roots& roots, const std::vector<std::string>& folders,
                            int version);

  // `own_limit`: what we say that the first group may use, where it is ours; 0: what its file says.
  Reading read(double own_limit) const;
  // Processes that were killed in the first group for want of memory; -1: the kernel does not say.
  std::int64_t kills() const;
  // The same in groups above it, and on the whole machine.
  std::int64_t kills_above() const;
  std::int64_t kills_on_machine() const;
  bool has_limit_above() const { return gates_.size() > 1; }

 private:
  std::vector<Gate> gates_;
  UniqueFd meminfo_;
  UniqueFd vmstat_;
};

}  // namespace tidegauge::guard
