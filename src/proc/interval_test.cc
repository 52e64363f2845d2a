// SPDX-License-Identifier: Apache-2.0
#include "proc/interval.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace tidegauge::proc {
namespace {

TEST(Interval, IsAsAskedForWhereLookingIsCheap) {
  Interval interval(1);
  EXPECT_EQ(interval.seconds(), 1);
  interval.add_look(0.0005);
  EXPECT_EQ(interval.seconds(), 1);
  EXPECT_FALSE(interval.is_stretched());
}

TEST(Interval, StretchesSoThatLookingStaysBelowTwoPercentOfACore) {
  Interval interval(1);
  for (int i = 0; i < 30; ++i) interval.add_look(0.1);
  EXPECT_NEAR(interval.seconds(), 5, 1e-6);
  EXPECT_TRUE(interval.is_stretched());
}

TEST(Interval, WhatIsDoneWithALookIsPartOfItsCost) {
  Interval interval(1);
  interval.add_to_look(7);  // of none
  for (int i = 0; i < 5; ++i) {
    interval.add_look(0.02);
    interval.add_to_look(0.08);
  }
  EXPECT_NEAR(interval.seconds(), 5, 1e-6);
}

TEST(Interval, OneDearLookDoesNotCount) {
  Interval interval(1);
  for (const double seconds : {0.2, 0.001, 0.001, 0.3, 0.001, 0.001, 0.001, 0.2}) {
    interval.add_look(seconds);
    EXPECT_EQ(interval.seconds(), 1);
  }
}

TEST(Interval, IsNeverShorterThanAskedForNorLongerThanTheDearestLookNeeds) {
  EXPECT_TRUE(rc::check([](const std::vector<unsigned short>& milliseconds) {
    Interval interval(0.1);
    double dearest = 0;
    for (const auto each : milliseconds) {
      interval.add_look(each / 1e3);
      dearest = std::max(dearest, each / 1e3);
      RC_ASSERT(interval.seconds() >= 0.1);
      RC_ASSERT(interval.seconds() <= std::max(0.1, dearest / 0.02) * 1.000001);
    }
  }));
}

}  // namespace
}  // namespace tidegauge::proc
