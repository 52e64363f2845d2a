// SPDX-License-Identifier: Apache-2.0
// Rows to learn from: what the engine sees of a series at a few moments of its life, and whether a
// leak is active then. A series that nobody can decide counts half as one and half as the other.
// Every other bounded series of the suite World gets a leak on top, so that its classes cannot be
// learned by heart, and every sixth series keeps only a few dozen samples, as somebody's log would.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/train/boost.h"

namespace tidegauge::bench {

struct RowPlan {
  std::uint64_t first_seed = 0;
  std::size_t seeds = 0;  // per class of suite A, twins and world; ramps and mechanisms are more
  std::size_t random_looks = 4;  // besides the one at the end
  unsigned threads = 2;
};

Rows make_rows(const std::vector<Kind>& kinds, const RowPlan& plan);

}  // namespace tidegauge::bench
