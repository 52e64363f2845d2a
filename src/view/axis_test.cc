// SPDX-License-Identifier: Apache-2.0
#include "view/axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "view/dots.h"

namespace tidegauge::view {
namespace {

History steps_of_two_seconds(int seconds) {
  History history(1);
  for (int i = 0; i <= seconds; ++i) history.add(i, 1, std::floor(i / 2.0));
  return history;
}

TEST(Axis, LabelsAreShort) {
  EXPECT_EQ(clock_label(0), "0:00");
  EXPECT_EQ(clock_label(193), "3:13");
  EXPECT_EQ(clock_label(7500), "2h05");
  EXPECT_EQ(clock_label(3 * 86400 + 4 * 3600), "3d04h");
  EXPECT_EQ(bytes_label(16.0 * (1 << 30)), "16G");
  EXPECT_EQ(bytes_label(512.0 * (1 << 20)), "512M");
  EXPECT_EQ(bytes_label(0), "0");
}

TEST(Axis, YTicksArePowersOfTwo) {
  const auto ticks = y_ticks(36.0 * (1 << 30), 5);
  ASSERT_EQ(ticks.size(), 5u);
  EXPECT_EQ(ticks[1].label, "8G");
  EXPECT_EQ(ticks[4].label, "32G");
  EXPECT_TRUE(y_ticks(0, 5).empty());
}

TEST(Axis, TimeTicksNameTheStepBelow) {
  const auto history = steps_of_two_seconds(300);
  const XAxis axis(history, 0, 300, 300, false);
  const auto ticks = x_ticks(axis, history, false, 80, 16);
  ASSERT_GE(ticks.size(), 3u);
  EXPECT_EQ(ticks[1].label, "1:00");
  EXPECT_EQ(ticks[1].second, "step 30");
}

TEST(Axis, OverStepsTheFutureGoesOnAtTheSamePace) {
  const auto history = steps_of_two_seconds(300);
  const XAxis axis(history, 0, 400, 300, true);
  ASSERT_TRUE(axis.by_step());
  EXPECT_EQ(axis.now(), 150);
  EXPECT_NEAR(*axis.seconds_per_step(), 2, 0.05);
  EXPECT_NEAR(axis.end(), 200, 1.5);
}

TEST(Axis, WithoutStepsItCountsTime) {
  History history(1);
  for (int i = 0; i < 50; ++i) history.add(i, 1, {});
  EXPECT_FALSE(XAxis(history, 0, 49, 49, true).by_step());
}

TEST(Dots, AreTheBitsOfBraille) {
  Dots dots(1, 1);
  dots.set(0, 0);
  EXPECT_EQ(braille(dots.bits(0, 0)), U'⡀');
  dots.set(1, 3);
  EXPECT_EQ(braille(dots.bits(0, 0)), U'⡈');
  dots.set(2, 0);
  dots.set(0, -1);
  EXPECT_EQ(dots_in(dots.bits(0, 0)), 2);
}

TEST(Dots, ALineReachesAllItsColumns) {
  Dots dots(2, 4);
  dots.line(0, 0, 8, 8);
  for (int column = 0; column < 4; ++column) {
    EXPECT_NE(dots.bits(0, column) | dots.bits(1, column), 0) << column;
  }
}

}  // namespace
}  // namespace tidegauge::view
