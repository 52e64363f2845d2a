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
  Turns turns;
  const double began = seconds_of(CLOCK_MONOTONIC);
  for (int i = 0; i < 10; ++i) turns.between();
  while (turns.cpu_seconds() < 250e-6) turns.between();
  // A turn of 100 us was over, and a millisecond followed. (A busy machine can make one of two.)
  EXPECT_GE(seconds_of(CLOCK_MONOTONIC) - began, 1e-3);
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
