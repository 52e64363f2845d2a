// SPDX-License-Identifier: Apache-2.0
// Parts of a process that a snapshot can do without: making a copy takes the longer the more pages
// there are, and most pages of a training job are tensors, pixels and arrays, of which only the
// size matters.
#pragma once

#include "census/locate.h"
#include "census/streaming.h"

namespace tidegauge::census {

// What a snapshot may leave out. A stretch may have holes, in which nothing was mapped: one call
// for it all costs as much as one for each part.
struct Spared {
  std::vector<Stretch> stretches{};  // the largest first
  std::vector<Stretch> holes{};
};

// Large stretches to which nothing in Python's arenas points, as far as the running process shows;
// none where they are not worth the trouble, or where leaving them out might do harm. What is
// wanted of them nevertheless can be read in the process itself.
Spared stretches_to_spare(pid_t pid, const LiveSource& source, TypeTable& types);

// Private memory of no file, in order; neighbours with nothing but a small hole in between are one.
Spared runs_of(const std::vector<Region>& regions);

struct GapLimits {
  static constexpr Address kLargePage = 2 << 20;
  Address smallest = 2 * kLargePage;
  Address page = kLargePage;  // on whose boundaries a run is cut
};

// The gaps between what is kept, largest first.
std::vector<Stretch> gaps_between(const std::vector<Stretch>& runs,
                                  const std::vector<Stretch>& kept, const GapLimits& limits);

// For cutting again what was to be spared.
GapLimits limits_for_less();

// Those of `holes` in which something has been mapped since.
std::vector<Stretch> holes_taken(const std::vector<Stretch>& holes,
                                 const std::vector<Region>& regions);

}  // namespace tidegauge::census
