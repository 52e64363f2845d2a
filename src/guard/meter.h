// SPDX-License-Identifier: Apache-2.0
// How much a job uses and how much more it may, from files that were opened and read once before:
// reading works where nothing new can be opened, and allocates nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/world.h"
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

class Meter : public Scale {
 public:
  // `folders` from the job's group upwards; empty: the machine alone counts.
  static Result<Meter> open(const proc::Roots& roots, const std::vector<std::string>& folders,
                            int version);

  Reading read(double own_limit) const override;
  // Processes that were killed in the first group for want of memory; -1: the kernel does not say.
  std::int64_t kills() const;
  // The same in groups above it, and on the whole machine.
  std::int64_t kills_above() const;
  std::int64_t kills_on_machine() const;
  bool has_limit_above() const { return gates_.size() > 1; }
  std::vector<int> fds() const;

 private:
  std::vector<Gate> gates_;
  UniqueFd meminfo_;
  UniqueFd vmstat_;
};

}  // namespace tidegauge::guard
