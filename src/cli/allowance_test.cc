// SPDX-License-Identifier: Apache-2.0
#include "cli/allowance.h"

#include <gtest/gtest.h>

namespace tidegauge::cli {
namespace {

TEST(Allowance, LeavesNothingOutWhereThereIsEnough) {
  const auto all = allowance({.descriptors = kToGuard});
  EXPECT_TRUE(all.watch && all.census && all.guard);
  EXPECT_EQ(all.why, "");
}

TEST(Allowance, LeavesOutTheGuardFirstThenTheCensusThenTheWatching) {
  const auto no_guard = allowance({.descriptors = kToGuard - 1});
  EXPECT_TRUE(no_guard.watch && no_guard.census && !no_guard.guard);
  EXPECT_EQ(no_guard.why, "of the 64 open files that are needed for it, 63 can be had (ulimit -n)");
  const auto no_census = allowance({.descriptors = kToTakeCensus - 1});
  EXPECT_TRUE(no_census.watch && !no_census.census && !no_census.guard);
  EXPECT_EQ(no_census.why,
            "of the 32 open files that are needed for it, 31 can be had (ulimit -n)");
  const auto nothing = allowance({.descriptors = 0});
  EXPECT_FALSE(nothing.watch || nothing.census || nothing.guard);
  EXPECT_EQ(nothing.why, "of the 16 open files that are needed for it, 0 can be had (ulimit -n)");
}

TEST(Allowance, DoesNotBeginWhatTheKernelWouldEnd) {
  EXPECT_TRUE(allowance({.cpu_seconds = kCpuSecondsToWatch}).watch);
  const auto short_of_time = allowance({.cpu_seconds = 4.2});
  EXPECT_FALSE(short_of_time.watch);
  EXPECT_EQ(short_of_time.why, "4 s of CPU time are left to us, 10 are needed (ulimit -t)");
  EXPECT_EQ(allowance({.cpu_seconds = -1}).why,
            "0 s of CPU time are left to us, 10 are needed (ulimit -t)");
}

TEST(Allowance, LeavesTheLastProcessesToTheJob) {
  const auto crowded = allowance({.processes = kToStartHelpers - 1});
  EXPECT_TRUE(crowded.watch && !crowded.census && !crowded.guard);
  EXPECT_EQ(crowded.why, "31 more processes may be started, which the job may need (pids.max)");
  EXPECT_TRUE(allowance({.processes = kToStartHelpers}).guard);
  EXPECT_FALSE(allowance({.descriptors = 3, .processes = 3}).watch);
}

}  // namespace
}  // namespace tidegauge::cli
