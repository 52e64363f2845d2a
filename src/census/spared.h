// SPDX-License-Identifier: Apache-2.0
// Parts of a process that a snapshot can do without: making a copy takes the longer the more pages
// there are, and most pages of a training job are tensors, pixels and arrays, of which only the
// size matters.
#pragma once

#include "census/locate.h"
#include "census/streaming.h"

namespace tidegauge::census {

// Large stretches to which nothing in Python's arenas points, as far as the running process shows,
// the largest first; none where they are not worth the trouble, or where leaving them out might do
// harm. What is wanted of them nevertheless can be read in the process itself.
std::vector<Stretch> stretches_to_spare(pid_t pid, const LiveSource& source, TypeTable& types);

// The gaps between what is kept, on pages and of that size at least; largest first.
std::vector<Stretch> gaps_between(const std::vector<Stretch>& runs,
                                  const std::vector<Stretch>& kept, Address smallest);

// Smaller ones are copied as fast as they are left out.
constexpr Address kSmallestSpared = 768 << 10;

}  // namespace tidegauge::census
