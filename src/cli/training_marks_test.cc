// SPDX-License-Identifier: Apache-2.0
#include "cli/training_marks.h"

#include <gtest/gtest.h>

namespace tidegauge::cli {
namespace {

using record::EventKind;
constexpr record::ProcessId kJob{100, 5};

std::vector<EventKind> kinds_of(const std::vector<record::Event>& marks) {
  std::vector<EventKind> kinds;
  for (const auto& mark : marks) kinds.push_back(mark.kind);
  return kinds;
}
using Kinds = std::vector<EventKind>;

TEST(TrainingMarks, TellStepsAndHowLongAPassIs) {
  TrainingMarks marks;
  const auto first = marks.hear(kJob, 7, {.step = 70, .steps = 332, .passes = 70 / 83.0});
  ASSERT_EQ(kinds_of(first), (Kinds{EventKind::Epoch, EventKind::Step}));
  EXPECT_EQ(first[0].name, "steps");
  EXPECT_EQ(first[0].value, 1);
  EXPECT_NEAR(*first[0].total, 83, 1e-9);
  EXPECT_EQ(first[1].value, 70);
  EXPECT_EQ(first[1].total, 332);
  EXPECT_EQ(first[1].source, record::MarkSource::Framework);
  EXPECT_EQ(first[1].at_ns, 7);
  EXPECT_TRUE(marks.hear(kJob, 8, {.step = 70, .steps = 332, .passes = 70 / 83.0}).empty());
  const auto next = marks.hear(kJob, 9, {.step = 84, .steps = 332, .passes = 84 / 83.0});
  ASSERT_EQ(kinds_of(next), (Kinds{EventKind::Epoch, EventKind::Step}));
  EXPECT_EQ(next[0].value, 2);
}

TEST(TrainingMarks, BeforeTheFirstStepNothingIsTold) {
  TrainingMarks marks;
  EXPECT_TRUE(marks.hear(kJob, 1, {.step = 0, .steps = 332}).empty()) << "it may still compile";
}

TEST(TrainingMarks, TellPhasesThatBeginAndEndBetweenLooks) {
  TrainingMarks marks;
  const census::Training trains{.step = 5, .steps = 9};
  marks.hear(kJob, 1, trains);
  auto evaluates = trains;
  evaluates.phase = "eval";
  const auto begin = marks.hear(kJob, 2, evaluates);
  ASSERT_EQ(kinds_of(begin), (Kinds{EventKind::PhaseBegin}));
  EXPECT_EQ(begin[0].name, "eval");
  auto saves = trains;
  saves.phase = "save";
  EXPECT_EQ(kinds_of(marks.hear(kJob, 3, saves)),
            (Kinds{EventKind::PhaseEnd, EventKind::PhaseBegin}));
  EXPECT_EQ(kinds_of(marks.hear(kJob, 4, trains)), (Kinds{EventKind::PhaseEnd}));
}

TEST(TrainingMarks, AnotherProcessIsAnotherTraining) {
  TrainingMarks marks;
  marks.hear(kJob, 1, {.step = 5, .steps = 9});
  EXPECT_EQ(marks.hear({101, 6}, 2, {.step = 5, .steps = 9}).size(), 1U);
}

}  // namespace
}  // namespace tidegauge::cli
