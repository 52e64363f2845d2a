// SPDX-License-Identifier: Apache-2.0
// Parts of a process that a snapshot can do without: making a copy takes the longer the more pages
// there are, and most pages of a training job are tensors, pixels and arrays, of which only the
// size matters.
#pragma once

#include "census/locate.h"
#include "census/streaming.h"

namespace tidegauge::census {

// Large stretches to which nothing in Python's arenas points, as far as the running process shows;
// none where they are not worth the trouble, or where leaving them out might do harm. What is
// wanted of them nevertheless can be read in the process itself.
std::vector<Stretch> stretches_to_spare(pid_t pid, const LiveSource& source, TypeTable& types);

// The largest gaps, on the boundaries of large pages, between what is kept.
std::vector<Stretch> gaps_between(const std::vector<Stretch>& all,
                                  const std::vector<Stretch>& kept);

}  // namespace tidegauge::census
