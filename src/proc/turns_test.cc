// SPDX-License-Identifier: Apache-2.0
#include "proc/turns.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace tidegauge::proc {
namespace {

TEST(KeepCore, IsForAWhileAndGivenBack) {
  ASSERT_EQ(::sched_getscheduler(0), SCHED_OTHER);
  {
    const KeepCore keep;
    EXPECT_EQ(keep.granted(), (::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_FIFO);
    const KeepCore again;  // has nothing to give back
    EXPECT_FALSE(again.granted());
  }
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

TEST(Turns, PauseOnceATurnIsOver) {
  constexpr unsigned kTurns = 5;
  Turns turns;
  const double began = clock_seconds(CLOCK_MONOTONIC);
  while (turns.pauses() < kTurns && turns.cpu_seconds() < 1) turns.between();
  EXPECT_EQ(turns.pauses(), kTurns);
  // Each after 100 us of CPU time, and a millisecond long.
  EXPECT_GE(turns.cpu_seconds(), kTurns * 100e-6);
  EXPECT_GE(clock_seconds(CLOCK_MONOTONIC) - began, kTurns * 1e-3);
}

TEST(Turns, LeaveThePriorityAsItWas) {
  {
    Turns turns;
    turns.pause();
  }
  EXPECT_EQ(::sched_getscheduler(0), SCHED_OTHER);
}

}  // namespace
}  // namespace tidegauge::proc
