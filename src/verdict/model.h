// SPDX-License-Identifier: Apache-2.0
// How the evidence is weighed: a few hundred small decision trees whose answers add up to the log
// odds of a leak. They were grown (bench/verdict/train) on series whose truth is known, each
// nuisance with and without a leak; docs/accuracy.md has what that buys. No tree sees a unit.
#pragma once

#include <cstdint>
#include <span>

#include "verdict/features.h"

namespace tidegauge::verdict {

// A question: is the feature at or below its edge? Answers lead to another split of the same tree,
// or, with kLeafBit set, to a leaf.
struct Split {
  std::uint8_t feature = 0;
  std::uint8_t edge = 0;
  std::uint8_t below = 0;
  std::uint8_t above = 0;
};
inline constexpr int kLeafBit = 0x80;
// Values are stored in this fraction of a unit of log odds.
inline constexpr double kValueUnit = 8192;

struct TreeBegin {
  std::uint16_t split = 0;
  std::uint16_t leaf = 0;
};

struct Table {
  double base = 0;
  std::span<const float> edges{};
  std::span<const std::uint16_t> edge_begins{};  // per feature, and the end
  std::span<const Split> splits{};
  std::span<const std::int16_t> split_values{};  // mean of what lies below the split
  std::span<const std::int16_t> leaf_values{};
  std::span<const TreeBegin> trees{};
};

// The generated one, and what its checksum was when it was made.
const Table& learned_table();
std::uint64_t learned_checksum();

// `features` as features_of() gives them.
Weighing weigh(const Table& table, std::span<const float> features);

// Over all numbers of the table: a hand-edited or torn table is noticed by a test.
std::uint64_t checksum(const Table& table);

}  // namespace tidegauge::verdict
