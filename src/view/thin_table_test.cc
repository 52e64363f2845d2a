// SPDX-License-Identifier: Apache-2.0
#include "view/thin_table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace tidegauge::view {
namespace {

TEST(ThinTable, KeepsEverySampleWhileThereIsRoom) {
  ThinTable table(4);
  for (int i = 0; i < 4; ++i) {
    table.add(i, i * 10.0, std::vector{static_cast<float>(i)});
  }
  ASSERT_EQ(table.rows().size(), 4u);
  EXPECT_EQ(table.rows()[3].from, 3);
  EXPECT_EQ(table.rows()[3].step, 30.0F);
  EXPECT_EQ(table.cells(0)[2].low, 2.0F);
  EXPECT_EQ(table.cells(0)[2].high, 2.0F);
}

TEST(ThinTable, MergesNeighboursWhenRowsRunOut) {
  ThinTable table(4);
  for (int i = 0; i < 9; ++i) table.add(i, {}, std::vector{static_cast<float>(i % 3), 1.0F});
  ASSERT_EQ(table.rows().size(), 3u);  // of four samples each, the last of one
  EXPECT_EQ(table.rows()[0].from, 0);
  EXPECT_EQ(table.rows()[0].to, 3);
  EXPECT_EQ(table.cells(0)[0].high, 2.0F);
  EXPECT_EQ(table.cells(0)[0].low, 0.0F);
}

TEST(ThinTable, WhatComesLateWasUnknownBefore) {
  ThinTable table(4);
  table.add(0, {}, std::vector{1.0F});
  table.add(1, {}, std::vector{1.0F, 5.0F});
  EXPECT_TRUE(std::isnan(table.cells(1)[0].high));
  EXPECT_EQ(table.cells(1)[1].high, 5.0F);
  table.add(2, {}, std::vector{1.0F});
  EXPECT_TRUE(std::isnan(table.cells(1)[2].high));
}

// Whatever is thrown at it: no row more than asked for, no extreme lost, each in its own stretch of
// time, and parts that add up to the first series still do.
TEST(ThinTable, LosesNoExtremeAndKeepsSums) {
  EXPECT_TRUE(rc::check([] {
    const auto most = *rc::gen::inRange<std::size_t>(2, 20);
    const auto first = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000));
    ThinTable table(most);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const int other = *rc::gen::inRange(0, 1000);
      table.add(static_cast<double>(i), {},
                std::vector{static_cast<float>(first[i] + other), static_cast<float>(first[i]),
                            static_cast<float>(other)});
    }
    RC_ASSERT(table.rows().size() <= most);
    std::size_t next = 0;
    for (std::size_t row = 0; row < table.rows().size(); ++row) {
      float low = ThinTable::kUnknown;
      float high = ThinTable::kUnknown;
      RC_ASSERT(table.rows()[row].from == static_cast<double>(next));
      for (; static_cast<double>(next) <= table.rows()[row].to; ++next) {
        low = std::fmin(low, static_cast<float>(first[next]));
        high = std::fmax(high, static_cast<float>(first[next]));
      }
      RC_ASSERT(table.cells(1)[row].low == low);
      RC_ASSERT(table.cells(1)[row].high == high);
      RC_ASSERT(table.cells(0)[row].at_peak == table.cells(0)[row].high);
      RC_ASSERT(table.cells(1)[row].at_peak + table.cells(2)[row].at_peak ==
                table.cells(0)[row].high);
    }
    RC_ASSERT(next == first.size());
  }));
}

}  // namespace
}  // namespace tidegauge::view
