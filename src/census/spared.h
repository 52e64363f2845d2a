// SPDX-License-Identifier: Apache-2.0
// Parts of a process that a snapshot can do without: making a copy takes the longer the more pages
// there are, and most pages of a training job are tensors, pixels and arrays, of which only the
// size matters.
#pragma once

#include "census/locate.h"
#include "census/streaming.h"
#include "census/target.h"

namespace tidegauge::census {

struct Sparing {
  std::vector<Stretch> spared{};  // the largest first
  std::vector<Stretch> saved{};   // small pieces in them that are wanted all the same; in order
};

// Large stretches to which nothing in Python's arenas points, as far as the running process shows;
// none where they are not worth the trouble, or where leaving them out might do harm. What else is
// wanted of them can be read in the process itself.
Sparing what_to_spare(const Target& target, const LiveSource& source, TypeTable& types);

// Gaps with little between them become one: to save that little takes a tenth of the time that
// another boundary takes. `kept` are in order and do not overlap.
Sparing join_over_little(std::vector<Stretch> gaps, const std::vector<Stretch>& kept,
                         const std::vector<Stretch>& mappings);

// The gaps between what is kept, on pages and of that size at least; largest first.
std::vector<Stretch> gaps_between(const std::vector<Stretch>& runs,
                                  const std::vector<Stretch>& kept, Address smallest);

// Each costs ten microseconds in all while the process stands still.
constexpr std::size_t kMostSpared = 1 << 14;
// What is read while the process stands still.
constexpr std::size_t kMostSavedBytes = 32 << 20;
constexpr std::size_t kMostSavedPieces = 1 << 18;

// Smaller ones are copied as fast as they are left out.
constexpr Address kSmallestSpared = 768 << 10;

}  // namespace tidegauge::census
