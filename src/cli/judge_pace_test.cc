// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_pace.h"

#include <gtest/gtest.h>

namespace tidegauge::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kHeld = 1e9;

// How long the judgement stands, in seconds.
std::int64_t stands_for(const LastVerdict& judged, const JudgePaces& paces, double held_now) {
  std::int64_t seconds = 0;
  while (!judged.is_due(paces, judged.at_ns + seconds * kSecond, held_now)) ++seconds;
  return seconds;
}

TEST(JudgePace, CostsNoMoreThanItsShareOnceTheBeginningIsOver) {
  const LastVerdict judged{.at_ns = 100 * kSecond, .held_bytes = kHeld, .cost_seconds = 0.001};
  EXPECT_EQ(stands_for(judged, kJudgeTree, 1.5 * kHeld), 10);
  EXPECT_EQ(stands_for(judged, kJudgeTree, kHeld), 50);
}

TEST(JudgePace, IsFasterInTheBeginning) {
  EXPECT_EQ(stands_for({.at_ns = 0, .held_bytes = kHeld, .cost_seconds = 0.1}, kJudgeTree, kHeld),
            2);
  EXPECT_EQ(stands_for({.at_ns = 12 * kSecond, .held_bytes = kHeld, .cost_seconds = 0.1},
                       kJudgeTree, 1.5 * kHeld),
            4);
}

TEST(JudgePace, IsSlowerWhereTheTreeHoldsWhatItHeld) {
  const LastVerdict judged{.at_ns = 60 * kSecond, .held_bytes = kHeld, .cost_seconds = 0.008};
  EXPECT_EQ(stands_for(judged, kJudgeAll, 1.01 * kHeld), 80);
  EXPECT_EQ(stands_for(judged, kJudgeAll, 1.001 * kHeld), 240);
  EXPECT_EQ(stands_for(judged, kJudgeAll, 0.99 * kHeld), 80);  // either way
}

TEST(JudgePace, IsSlowestWhereThereCanOnlyBeLessDoubt) {
  LastVerdict judged{.at_ns = 6 * kSecond, .held_bytes = kHeld, .cost_seconds = 0.002};
  EXPECT_EQ(stands_for(judged, kJudgeTree, kHeld), 6);
  judged.known = true;
  EXPECT_EQ(stands_for(judged, kJudgeTree, kHeld), 30);
  EXPECT_EQ(stands_for(judged, kJudgeTree, 1.5 * kHeld), 2) << "something happens";
}

TEST(JudgePace, HasALatestTime) {
  const LastVerdict judged{.at_ns = 100'000 * kSecond, .held_bytes = kHeld, .cost_seconds = 1};
  EXPECT_EQ(stands_for(judged, kJudgeTree, kHeld), 60);
}

}  // namespace
}  // namespace tidegauge::cli
