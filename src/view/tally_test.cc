// SPDX-License-Identifier: Apache-2.0
#include "view/tally.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace tidegauge::view {
namespace {

TEST(Tally, KnowsTheUsualNumbers) {
  Tally tally;
  for (const double bytes : {5.0, 1.0, 9.0}) tally.add(bytes);
  EXPECT_EQ(tally.count(), 3u);
  EXPECT_EQ(tally.min(), 1);
  EXPECT_EQ(tally.max(), 9);
  EXPECT_EQ(tally.average(), 5);
  EXPECT_EQ(tally.first(), 5);
  EXPECT_EQ(tally.last(), 9);
}

TEST(Tally, ASpikeAtTheEndIsNotTheFloor) {
  Tally tally;
  for (int i = 0; i < 1000; ++i) tally.add(i > 990 ? 5000 : 100);
  EXPECT_EQ(tally.floor(), 100);
  EXPECT_EQ(tally.growth(), 0);
}

TEST(Tally, OneSampleIsNoFloor) {
  Tally brief;
  for (const double bytes : {2.1, 2.1, 2.1, 2.1, 94.7, 2.1, 2.1, 2.1, 35.0, 94.7, 94.7}) {
    brief.add(bytes);
  }
  EXPECT_FLOAT_EQ(static_cast<float>(brief.floor()), 2.1F);
  EXPECT_EQ(brief.growth(), 0);
  // However long it gets, a block that has just begun is no floor either.
  for (int quiet = 1; quiet < 300; ++quiet) {
    Tally tally;
    for (int i = 0; i < quiet; ++i) tally.add(1);
    tally.add(301);
    EXPECT_EQ(tally.floor(), 1) << "after " << quiet;
  }
}

TEST(Tally, AHandfulOfSamplesCanGrow) {
  Tally tally;
  for (const double bytes : {1.0, 20.0, 40.0, 60.0}) tally.add(bytes);
  EXPECT_EQ(tally.floor(), 20);
  EXPECT_EQ(tally.growth(), 19);
}

TEST(Tally, WhatIsGivenBackAtTheEndIsNotTheFloor) {
  Tally tally;
  for (int i = 0; i < 1000; ++i) tally.add(i < 100 ? 10 * i : 1000);
  for (const double bytes : {998.0, 700.0, 200.0}) tally.add(bytes);
  EXPECT_EQ(tally.floor(), 200) << "it may go on from there";
  tally.end();
  EXPECT_EQ(tally.floor(), 998);
  EXPECT_EQ(tally.growth(), 998);
  EXPECT_EQ(tally.last(), 200);
  tally.add(200);
  EXPECT_EQ(tally.floor(), 200) << "it was not the end";
}

TEST(Tally, WithoutAFallTheEndChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    const auto rises = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 20));
    Tally tally;
    double bytes = 0;
    for (const int rise : rises) tally.add(bytes += rise);
    const double floor = tally.floor();
    tally.end();
    RC_ASSERT(tally.floor() == floor);
  }));
}

TEST(Tally, GrowthIsFromTheBeginningToTheFloorNow) {
  Tally tally;
  for (int i = 0; i < 1000; ++i) tally.add(std::min(i, 500));
  EXPECT_EQ(tally.floor(), 500);
  EXPECT_EQ(tally.growth(), 500);
}

TEST(Tally, OverheadIsConstantAndAWarmUpIsNot) {
  Tally worker;
  Tally trainer;
  for (int i = 0; i < 100; ++i) {
    worker.add(400e6 + 1000 * (i % 7));
    trainer.add(400e6 + 1e7 * i);
  }
  EXPECT_TRUE(worker.constant());
  EXPECT_FALSE(trainer.constant());
}

TEST(Tally, FloorLiesBetweenMinimumAndWhatWasSeenLast) {
  EXPECT_TRUE(rc::check([] {
    const auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 20));
    Tally tally;
    for (const int value : values) tally.add(value);
    if (values.empty()) {
      RC_ASSERT(tally.floor() == 0.0);
      return;
    }
    RC_ASSERT(tally.min() <= tally.floor() && tally.floor() <= tally.last());
    RC_ASSERT(tally.count() == values.size());
    RC_ASSERT(tally.min() == *std::min_element(values.begin(), values.end()));
    RC_ASSERT(tally.average() <= tally.max() && tally.average() >= tally.min());
  }));
}

}  // namespace
}  // namespace tidegauge::view
