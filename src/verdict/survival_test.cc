// SPDX-License-Identifier: Apache-2.0
#include "verdict/survival.h"

#include <gtest/gtest.h>

namespace tidegauge::verdict {
namespace {

TEST(Survival, NeverRisesAndIsUndoneByItsInverse) {
  constexpr double kLongest = 2400;
  double before = 1;
  for (double age = 1; age < 5 * kLongest; age *= 1.1) {
    const double now = survival_by_length(age, kLongest);
    EXPECT_LE(now, before);
    EXPECT_GT(now, 0);
    before = now;
  }
  for (const double share : {0.9, 0.5, 0.2, 0.04, 0.01}) {
    EXPECT_NEAR(survival_by_length(age_at_survival(share, kLongest), kLongest), share, 1e-9);
  }
  for (const double share : {0.14, 0.05, 0.01}) {
    EXPECT_NEAR(survival_by_pass(passes_at_survival(share)), share, 1e-9);
    for (const Tie tie : {Tie::Eval, Tie::Epoch}) {
      EXPECT_NEAR(survival_by_event(events_at_survival(share, tie), tie), share, 1e-9);
    }
  }
}

TEST(Survival, OneTimeScaleIsAllThatCounts) {
  EXPECT_EQ(survival_by_length(100, 1000), survival_by_length(10, 100));
}

TEST(Survival, TheFirstPassDecidesNothing) {
  EXPECT_GT(survival_by_pass(0.3), 0.9);
  EXPECT_GT(survival_by_pass(1.0), 0.9);
  EXPECT_LT(survival_by_pass(1.1), 0.2);
}

TEST(LeakBar, AnAlarmNeedsMoreThanAFinishedRecordingUntilWarmUpsAreLongOver) {
  Rules finished;
  Rules alarm;
  alarm.mode = Rules::Mode::Alarm;
  EXPECT_EQ(leak_bar(finished, 0.1), leak_bar(finished, 1000));
  EXPECT_LT(leak_bar(finished, 1), leak_bar(alarm, 1));
  EXPECT_LT(leak_bar(alarm, 1), leak_bar(alarm, 0.2));
  EXPECT_LT(leak_bar(alarm, 3.5), leak_bar(alarm, 1));
  EXPECT_EQ(leak_bar(alarm, 3.5), leak_bar(alarm, 1e6));
}

}  // namespace
}  // namespace tidegauge::verdict
