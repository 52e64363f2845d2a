// SPDX-License-Identifier: Apache-2.0
#include "verdict/block_series.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tidegauge::verdict {
namespace {

TEST(BlockSeries, KeepsSamplesAsTheyAreWhileThereAreFew) {
  BlockSeries series;
  for (int i = 0; i < 24; ++i) series.add(10 + 10 * i, 1000 * i);
  const auto points = series.points();
  ASSERT_EQ(points.size(), 24u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(points[i].at, 10 + 10 * static_cast<double>(i), 1e-3);
    EXPECT_EQ(points[i].mean, 1000 * static_cast<double>(i));
    EXPECT_EQ(points[i].count, 1u);
  }
}

TEST(BlockSeries, AGapStaysAGap) {
  BlockSeries series;
  for (int i = 0; i < 1000; ++i) series.add(i, 1);
  for (int i = 5000; i < 6000; ++i) series.add(i, 2);
  for (const auto& point : series.points()) {
    EXPECT_TRUE(point.at < 1000 || point.at >= 5000 - series.block_width()) << point.at;
  }
}

TEST(BlockSeries, TimeThatRunsBackwardsIsTakenAsTheLatestSeen) {
  BlockSeries series;
  series.add(100, 1);
  series.add(50, 2);
  series.add(101, 3);
  EXPECT_EQ(series.last_at(), 101);
  EXPECT_EQ(series.points().size(), 2u);
}

BlockSeries of_values(const std::vector<double>& values) {
  BlockSeries out;
  for (const double bytes : values) out.add(out.last_at() + 1, bytes);
  return out;
}

TEST(BlockSeries, KnowsTheSmallestOfManyChanges) {
  const auto series = of_values({0, 4096, 4096, 16384, 8192, 20480, 4096});
  EXPECT_EQ(series.smallest_change(), 4096);
  EXPECT_EQ(series.quantum(), 4096);
}

TEST(BlockSeries, OneJumpOrAFewAreNoRounding) {
  EXPECT_EQ(of_values({1e9, 1e9, 3e9, 3e9}).quantum(), 0);
  EXPECT_EQ(of_values({1e9, 3e9, 1e9, 3e9, 1e9}).quantum(), 0);
}

TEST(BlockSeries, OneThatCameLateTakesRoomForWhatItSaw) {
  BlockSeries all;
  BlockSeries late;
  for (int i = 0; i < 3600; ++i) {
    all.add(i, 1);
    if (i >= 3400 && i < 3460) late.add(i, 1);
  }
  EXPECT_EQ(all.room(), BlockSeries::kMostBlocks);
  EXPECT_LE(late.room(), BlockSeries::kMostBlocks / 16);
}

// The blocks of all series of a recording line up, whenever each began.
TEST(BlockSeriesLaws, OneThatCameLateHasTheSameBlocks) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<int>(2, 3000);
    const auto joined = *rc::gen::inRange<int>(0, size);
    const auto spacing = 0.01 * *rc::gen::inRange<int>(1, 5000);
    BlockSeries all;
    BlockSeries late;
    for (int i = 0; i < size; ++i) {
      const double bytes = (i * 7919) % 1009;
      all.add(spacing * i, bytes);
      if (i >= joined) late.add(spacing * i, bytes);
    }
    RC_ASSERT(late.block_width() == all.block_width());
    const auto those = all.points();
    const auto these = late.points();
    RC_ASSERT(these.size() <= those.size());
    // The block in which it joined has some of the samples.
    for (std::size_t i = 1; i < these.size(); ++i) {
      const auto& that = those[those.size() - these.size() + i];
      RC_ASSERT(these[i].at == that.at);
      RC_ASSERT(these[i].mean == that.mean);
      RC_ASSERT(these[i].low == that.low);
      RC_ASSERT(these[i].high == that.high);
      RC_ASSERT(these[i].count == that.count);
    }
  }));
}

// Whatever comes: bounded memory, and count, sum, lowest and highest are what they were.
TEST(BlockSeriesLaws, NothingIsLostAndNothingGrowsWithoutBound) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<int>(1, 3000);
    const auto spacing = *rc::gen::inRange<int>(1, 5000);
    const double begin = *rc::gen::inRange<int>(0, 100'000);
    BlockSeries series;
    double sum = 0;
    double low = 1e18;
    double high = -1e18;
    for (int i = 0; i < size; ++i) {
      const double bytes = *rc::gen::inRange<int>(0, 1 << 20);
      series.add(begin + 0.01 * spacing * i, bytes);
      sum += bytes;
      low = std::min(low, bytes);
      high = std::max(high, bytes);
    }
    const auto points = series.points();
    RC_ASSERT(points.size() <= BlockSeries::kMostBlocks);
    RC_ASSERT(series.room() <= BlockSeries::kMostBlocks);
    double total = 0;
    std::uint64_t count = 0;
    double lowest = 1e18;
    double highest = -1e18;
    double before = -1;
    for (const auto& point : points) {
      total += point.mean * point.count;
      count += point.count;
      lowest = std::min(lowest, point.low);
      highest = std::max(highest, point.high);
      RC_ASSERT(point.at >= before);
      before = point.at;
    }
    RC_ASSERT(count == static_cast<std::uint64_t>(size));
    RC_ASSERT(std::abs(total - sum) < 1e-6 * std::max(1.0, sum));
    RC_ASSERT(lowest == low);
    RC_ASSERT(highest == high);
  }));
}

}  // namespace
}  // namespace tidegauge::verdict
