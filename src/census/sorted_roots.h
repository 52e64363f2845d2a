// SPDX-License-Identifier: Apache-2.0
// In which order roots count as whoever holds something.
#pragma once

#include <unordered_map>
#include <vector>

#include "census/heap.h"
#include "census/roots.h"

namespace tidegauge::census {

using Names = std::unordered_map<Node, const Root*>;

struct SortedRoots {
  Names named{};
  std::vector<Node> starts{};
  // Variables of running functions that name what other objects refer to as well, outermost first.
  // Most often somebody else holds it, and the variable names it for a moment: the one image of 663
  // that is being looked at. It is a root only if nothing before it leads there.
  std::vector<Node> passing{};
};

SortedRoots sort_out(const Heap& heap, const std::vector<Root>& roots);

}  // namespace tidegauge::census
