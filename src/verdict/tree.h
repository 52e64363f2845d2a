// SPDX-License-Identifier: Apache-2.0
// A tree whose members come and go: growth that is only a change of membership is taken out, and
// growth that is real is put down to the member that grows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/members.h"

namespace tidegauge::verdict {

struct SteadyTree {
  std::vector<Point> points{};     // the total, as if today's members had been there all the time
  std::vector<double> restarts{};  // the process that held most of the memory was replaced
  double until = 0;                // the end of the job, or of the recording
  bool adjusted = false;
  std::size_t left = 0;    // members that came and went
  std::size_t joined = 0;  // members that came later and stayed
  // Processes are started again and again and none ends: that is growth, and left in.
  bool accumulates = false;
};

SteadyTree steady_tree(const BlockSeries& total, const Members& members);

// Of what all members grew by between two times, the share of some that are still there.
double share_of_growth(const Members& members, std::span<const record::ProcessId> who, double from,
                       double to);

struct Attribution {
  std::optional<Subject> grower{};  // accounts for most of the growth
  double share = 0;                 // how much of it
  std::string sentence{};           // empty: nothing to say
};

// Of the growth of the tree between two times.
Attribution attribute(const SteadyTree& tree, const Members& members, double from, double to);

}  // namespace tidegauge::verdict
