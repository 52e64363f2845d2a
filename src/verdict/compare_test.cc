// SPDX-License-Identifier: Apache-2.0
#include "verdict/compare.h"

#include <gtest/gtest.h>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

constexpr double kMegabyte = 1e6;

Outline outline_of(const FakeRecording& recording, const std::string& name) {
  Gauge gauge({});
  gauge.begin(recording.get().header);
  for (const auto& entry : recording.get().entries) gauge.add(entry);
  return gauge.outline(name);
}

// A series that grows by `per_sample`, on one of the two clocks.
Outline series(const std::string& name, double per_sample, record::Clock clock) {
  FakeRecording recording;
  if (clock == record::Clock::Steps) recording.by_steps();
  for (int i = 0; i < 600; ++i) recording.column(i, (1000 + per_sample * i) * kMegabyte);
  return outline_of(recording, name);
}

// A rank that takes `pace` seconds a step and holds `level` plus `per_step` times its steps.
Outline rank(const std::string& name, double pace, double level, double per_step) {
  FakeRecording recording;
  for (int step = 0; step < 600; ++step) {
    recording.step(step * pace, step);
    recording.column(step * pace + 0.1, (level + per_step * step) * kMegabyte);
  }
  return outline_of(recording, name);
}

TEST(Compare, FindsTheRankThatGrowsLinedUpByStep) {
  // Rank 2 is also slower: by seconds it would seem to grow less than it does.
  const std::vector<Outline> ranks = {rank("rank0", 1.0, 4000, 0.1), rank("rank1", 1.0, 4010, 0.1),
                                      rank("rank2", 3.0, 4000, 2.0), rank("rank3", 1.1, 3990, 0.1)};
  const Comparison found = compare(ranks);
  EXPECT_EQ(found.by, Comparison::By::Step);
  ASSERT_EQ(found.different, std::vector<std::size_t>{2});
  EXPECT_NE(found.sentences.front().find("rank2 stands out"), std::string::npos);
  ASSERT_FALSE(found.rows.empty());
  EXPECT_NEAR(found.rows.back().at, 599, 2);
  EXPECT_NEAR(found.rows.back().bytes[2] - found.rows.back().bytes[0], 1140 * kMegabyte,
              20 * kMegabyte);
}

TEST(Compare, SaysThatRanksAreAlike) {
  const std::vector<Outline> ranks = {rank("a", 1, 4000, 0), rank("b", 1, 4020, 0),
                                      rank("c", 2, 3990, 0)};
  const Comparison found = compare(ranks);
  EXPECT_TRUE(found.different.empty());
  EXPECT_NE(found.sentences.front().find("none stands out"), std::string::npos);
}

TEST(Compare, OfTwoRunsNamesTheLarger) {
  const std::vector<Outline> runs = {rank("before", 1, 4000, 0.0), rank("after", 1, 4000, 1.0)};
  const Comparison found = compare(runs);
  ASSERT_EQ(found.different, std::vector<std::size_t>{1});
  EXPECT_NE(found.sentences.front().find("after holds"), std::string::npos);
}

TEST(Compare, StepsAndSecondsAreNotLinedUp) {
  using enum record::Clock;
  const std::vector<Outline> runs = {series("a.csv", 2, Seconds), series("b.csv", 0, Steps)};
  const Comparison found = compare(runs);
  EXPECT_FALSE(found.by);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_TRUE(found.different.empty());
  ASSERT_FALSE(found.sentences.empty());
  EXPECT_EQ(found.sentences.front(),
            "Of b.csv only steps are known, of a.csv only seconds: they cannot be lined up.");
}

TEST(Compare, WithoutACommonClockVerdictsAreCompared) {
  using enum record::Clock;
  std::vector<Outline> runs = {series("a.csv", 0, Seconds), series("b.csv", 0, Steps),
                               rank("c.tg", 1, 4000, 0)};
  runs[1].verdict.klass = Class::Leak;
  const Comparison found = compare(runs);
  EXPECT_FALSE(found.by);
  ASSERT_EQ(found.sentences.size(), 2u);
  EXPECT_EQ(found.sentences[0].find("c.tg"), std::string::npos) << "it knows both";
  EXPECT_EQ(found.sentences[1], "1 of 3 leak: b.csv.");
}

TEST(Compare, StepsAloneAreLinedUpWithStepsThatHaveTimes) {
  using enum record::Clock;
  EXPECT_EQ(compare(std::vector{series("a", 0, Steps), series("b", 0, Steps)}).by,
            Comparison::By::Step);
  EXPECT_EQ(compare(std::vector{series("a", 0, Steps), rank("b", 2, 1000, 0)}).by,
            Comparison::By::Step);
  EXPECT_EQ(compare(std::vector{series("a", 0, Seconds), rank("b", 2, 1000, 0)}).by,
            Comparison::By::Seconds);
}

TEST(Compare, NothingOrOneRunIsSaidNotCompared) {
  EXPECT_FALSE(compare({}).sentences.empty());
  const std::vector<Outline> one = {rank("a", 1, 100, 0)};
  EXPECT_FALSE(compare(one).sentences.empty());
  const std::vector<Outline> empty = {Outline{.name = "x"}, rank("a", 1, 100, 0)};
  EXPECT_NE(compare(empty).sentences.front().find("x holds no samples"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::verdict
