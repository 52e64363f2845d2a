// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

namespace tidegauge {
namespace {

TEST(Clock, SaysTheSameInNanosecondsAndSeconds) {
  const auto before = clock_ns(CLOCK_MONOTONIC);
  const double seconds = clock_seconds(CLOCK_MONOTONIC);
  const auto after = clock_ns(CLOCK_MONOTONIC);
  EXPECT_GE(seconds * 1e9 + 1e3, static_cast<double>(before));
  EXPECT_LE(seconds * 1e9 - 1e3, static_cast<double>(after));
}

TEST(CpuClock, RunsWhileWeDo) {
  const CpuClock clock;
  while (clock.seconds() < 0.001) {
  }
  EXPECT_GE(clock.seconds(), 0.001);
}

}  // namespace
}  // namespace tidegauge
