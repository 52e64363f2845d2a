// SPDX-License-Identifier: Apache-2.0
#include "verdict/model.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

namespace tidegauge::verdict {
namespace {

TEST(LearnedTable, IsTheOneThatWasMade) {
  EXPECT_EQ(checksum(learned_table()), learned_checksum());
}

TEST(LearnedTable, FitsTheFeatures) {
  const Table& table = learned_table();
  const std::size_t features = feature_infos().size();
  ASSERT_EQ(table.edge_begins.size(), features + 1);
  ASSERT_EQ(table.edge_begins.back(), table.edges.size());
  for (const auto& split : table.splits) {
    ASSERT_LT(split.feature, features);
    ASSERT_LT(split.edge, table.edge_begins[split.feature + 1u] - table.edge_begins[split.feature]);
  }
}

TEST(LearnedTable, EveryQuestionLeadsFurtherInItsOwnTree) {
  const Table& table = learned_table();
  for (std::size_t t = 0; t < table.trees.size(); ++t) {
    const bool last = t + 1 == table.trees.size();
    const std::size_t begin = table.trees[t].split;
    const std::size_t splits = (last ? table.splits.size() : table.trees[t + 1].split) - begin;
    const std::size_t leaves =
        (last ? table.leaf_values.size() : table.trees[t + 1].leaf) - table.trees[t].leaf;
    ASSERT_EQ(leaves, splits + 1);
    for (std::size_t i = 0; i < splits; ++i) {
      for (const int next : {table.splits[begin + i].below, table.splits[begin + i].above}) {
        const auto number = static_cast<std::size_t>(next & ~kLeafBit);
        if ((next & kLeafBit) != 0) {
          ASSERT_LT(number, leaves);
        } else {
          ASSERT_GT(number, i) << "a tree must not go in circles";
          ASSERT_LT(number, splits);
        }
      }
    }
  }
}

TEST(Weigh, WhatTheGroupsAddIsAllThereIs) {
  const Table& table = learned_table();
  double roots = table.base;
  for (const auto& tree : table.trees) roots += table.split_values[tree.split] / kValueUnit;
  EXPECT_TRUE(rc::check([&] {
    std::vector<float> features;
    for (std::size_t i = 0; i < feature_infos().size(); ++i) {
      features.push_back(static_cast<float>(*rc::gen::inRange<int>(-1000, 1000)) / 100);
    }
    const Weighing found = weigh(table, features);
    const double groups = std::accumulate(found.by_group.begin(), found.by_group.end(), 0.0);
    RC_ASSERT(std::abs(roots + groups - found.log_odds) < 1e-6);
  }));
}

// A feature that may only speak for a leak never speaks against one, whatever the others say.
TEST(Weigh, KeepsToTheDirectionsOfTheFeatures) {
  const auto infos = feature_infos();
  EXPECT_TRUE(rc::check([&] {
    std::vector<float> features;
    for (std::size_t i = 0; i < infos.size(); ++i) {
      features.push_back(static_cast<float>(*rc::gen::inRange<int>(-600, 600)) / 100);
    }
    const auto which = *rc::gen::inRange<std::size_t>(0, infos.size());
    const double before = weigh(learned_table(), features).log_odds;
    features[which] += static_cast<float>(*rc::gen::inRange<int>(0, 500)) / 100;
    const double after = weigh(learned_table(), features).log_odds;
    // Values are stored rounded: a hair per tree.
    const double slack = 1e-3 * static_cast<double>(learned_table().trees.size());
    if (infos[which].direction > 0) RC_ASSERT(after >= before - slack);
    if (infos[which].direction < 0) RC_ASSERT(after <= before + slack);
  }));
}

}  // namespace
}  // namespace tidegauge::verdict
