// SPDX-License-Identifier: Apache-2.0
// The limit that binds: the one that the tree's growth would reach first.
#pragma once

#include <optional>
#include <string>

#include "record/sample.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

struct Limit {
  std::string kind{};  // "cgroup", "ram", "dev_shm", "given" (by the user or by the file)
  double bytes = 0;    // of the series that is judged: what it may come to
};

// Remembers the latest sample that told of limits.
class Limits {
 public:
  void add(const record::Sample& sample);

  // For a series that holds `held` bytes at the end. RAM and a cgroup are shared with others, so
  // what others hold is taken off.
  std::optional<Limit> binding(const Rules& rules, Kind kind, double held) const;

 private:
  std::optional<double> ram_headroom_{};  // including swap
  std::optional<double> cgroup_headroom_{};
  double cgroup_limit_ = 0;  // of the group that has the least room
  // Somebody's file says what binds, but not what is charged: its series themselves count against
  // it, as they do against a limit that the user gave.
  std::optional<double> told_limit_{};
  std::optional<double> shm_headroom_{};
  std::optional<double> gpu_headroom_{};
};

}  // namespace tidegauge::verdict
