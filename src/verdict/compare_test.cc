// SPDX-License-Identifier: Apache-2.0
#include "verdict/compare.h"

#include <gtest/gtest.h>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

constexpr double kMegabyte = 1e6;

// A rank that takes `pace` seconds a step and holds `level` plus `per_step` times its steps.
Outline rank(const std::string& name, double pace, double level, double per_step) {
  FakeRecording recording;
  for (int step = 0; step < 600; ++step) {
    recording.step(step * pace, step);
    recording.column(step * pace + 0.1, (level + per_step * step) * kMegabyte);
  }
  Gauge gauge({});
  for (const auto& entry : recording.get().entries) gauge.add(entry);
  return gauge.outline(name);
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

TEST(Compare, NothingOrOneRunIsSaidNotCompared) {
  EXPECT_FALSE(compare({}).sentences.empty());
  const std::vector<Outline> one = {rank("a", 1, 100, 0)};
  EXPECT_FALSE(compare(one).sentences.empty());
  const std::vector<Outline> empty = {Outline{.name = "x"}, rank("a", 1, 100, 0)};
  EXPECT_NE(compare(empty).sentences.front().find("x holds no samples"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::verdict
