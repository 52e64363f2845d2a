// SPDX-License-Identifier: Apache-2.0
#include "view/history.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidegauge::view {
namespace {

TEST(History, ShowsWhatWasAddedColumnByColumn) {
  History history(1);
  for (int i = 0; i < 10; ++i) history.add(i, 100 + i, i * 2.0);
  const auto columns = history.by_time(0, 10, 5);
  ASSERT_EQ(columns.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(columns[i].known);
    EXPECT_EQ(columns[i].low, 100.0 + 2.0 * static_cast<double>(i));
    EXPECT_EQ(columns[i].high, 101.0 + 2.0 * static_cast<double>(i));
  }
}

TEST(History, HoldsTheLastValueBetweenSamplesWhenColumnsAreNarrower) {
  History history(1);
  history.add(0, 5, {});
  history.add(1, 7, {});
  history.add(2, 9, {});
  const auto columns = history.by_time(0, 3, 12);
  EXPECT_EQ(columns[2].last, 5);
  EXPECT_EQ(columns[5].last, 7);
  EXPECT_EQ(columns[8].last, 9);
  EXPECT_FALSE(columns[11].known);  // after the last sample nothing is known
}

TEST(History, AGapIsNotFilled) {
  History history(1);
  for (int i = 0; i < 10; ++i) history.add(i, 5, {});
  for (int i = 60; i < 70; ++i) history.add(i, 8, {});
  const auto columns = history.by_time(0, 70, 70);
  EXPECT_TRUE(columns[9].known);
  EXPECT_FALSE(columns[30].known);
  EXPECT_TRUE(columns[60].known);
}

TEST(History, KeepsASpikeOfOneSampleForDays) {
  History history(1);
  constexpr int kWeek = 7 * 86400;
  for (int i = 0; i < kWeek; ++i) history.add(i, i == 1000 ? 99 : 1, {});
  const auto columns = history.by_time(0, kWeek, 150);
  EXPECT_EQ(std::max_element(columns.begin(), columns.end(),
                             [](const auto& a, const auto& b) { return a.high < b.high; })
                ->high,
            99);
  EXPECT_EQ(columns[140].high, 1);
  const auto recent = history.by_time(kWeek - 60, kWeek, 60);
  EXPECT_TRUE(std::all_of(recent.begin(), recent.end(), [](const auto& c) { return c.known; }));
}

TEST(History, KnowsWhichStepWasWhen) {
  History history(1);
  history.add(0, 1, {});
  for (int i = 1; i <= 5000; ++i) history.add(i, 1, std::floor(i / 10.0));
  EXPECT_EQ(history.step_at(4999), 499);
  EXPECT_LE(history.step_at(0).value_or(0), 1);  // a coarse block knows the step at its end
  constexpr auto kNever = std::numeric_limits<double>::infinity();
  EXPECT_EQ(history.step_at(kNever), 500);
  EXPECT_FALSE(history.step_at(-kNever));
  ASSERT_TRUE(history.time_of(490).has_value());
  EXPECT_NEAR(*history.time_of(490), 4900, 1);
  EXPECT_NEAR(*history.time_of(100), 1000, 16);  // only coarse blocks reach back that far
  EXPECT_FALSE(history.time_of(501).has_value());
}

TEST(History, OverStepsTheTimeOfAPauseTakesNoRoom) {
  History history(1);
  int at = 0;
  for (int step = 1; step <= 50; ++step) history.add(at++, step, step);
  for (int i = 0; i < 200; ++i) history.add(at++, 90, 50);  // an evaluation between two steps
  for (int step = 51; step <= 100; ++step) history.add(at++, step, step);
  const auto columns = history.by_step(0, 100, 50);
  EXPECT_TRUE(columns[10].known);
  EXPECT_NEAR(columns[10].last, 21, 2);
  EXPECT_NEAR(columns[40].last, 81, 2);
  EXPECT_EQ(columns[25].high, 90);
}

TEST(Floor, LeavesOutWhatIsGivenBack) {
  std::vector<Column> columns(20);
  for (auto& column : columns) column = {.low = 5, .high = 5, .last = 5, .known = true};
  columns[8].low = columns[9].low = 9;
  mark_floor(columns, 4);
  for (const auto& column : columns) EXPECT_EQ(column.floor, 5);
}

TEST(Floor, FollowsGrowthWithoutDelay) {
  std::vector<Column> columns(20);
  for (std::size_t i = 0; i < 20; ++i) {
    columns[i].low = columns[i].high = static_cast<double>(i);
    columns[i].known = true;
  }
  mark_floor(columns, 4);
  for (const auto& column : columns) EXPECT_EQ(column.floor, column.low);
}

TEST(Floor, APhaseThatGoesOnRaisesNothing) {
  std::vector<Column> columns(20);
  for (std::size_t i = 0; i < 20; ++i) {
    columns[i] = {.low = i < 12 ? 5.0 : 9.0, .high = 9, .last = 9, .known = true};
    columns[i].in_phase = i >= 12;
  }
  mark_floor(columns, 3);
  EXPECT_EQ(columns[19].floor, 5);
}

TEST(History, ColumnsHoldWhatWasSeenWhateverTheSamples) {
  EXPECT_TRUE(rc::check([] {
    History history(*rc::gen::element(0.1, 1.0, 5.0));
    double at = 0;
    double least = 1e18;
    double most = 0;
    const auto count = *rc::gen::inRange(1, 300);
    for (int i = 0; i < count; ++i) {
      at += *rc::gen::element(0.0, 0.1, 1.0, 7.0, 4000.0);
      const double bytes = *rc::gen::inRange(0, 1 << 20);
      least = std::min(least, bytes);
      most = std::max(most, bytes);
      history.add(at, bytes, i);
    }
    const auto wide = *rc::gen::inRange<std::size_t>(0, 400);
    auto columns = history.by_time(history.first_at(), history.last_at() + 1, wide);
    RC_ASSERT(columns.size() == wide);
    mark_floor(columns, 5);
    double high = 0;
    for (const auto& column : columns) {
      if (!column.known) continue;
      RC_ASSERT(column.low >= least && column.high <= most && column.low <= column.high);
      RC_ASSERT(column.floor <= column.low);
      high = std::max(high, column.high);
    }
    if (wide > 0) RC_ASSERT(high == most);
    RC_ASSERT(history.by_step(0, count, wide).size() == wide);
  }));
}

}  // namespace
}  // namespace tidegauge::view
