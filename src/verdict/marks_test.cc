// SPDX-License-Identifier: Apache-2.0
#include "verdict/marks.h"

#include <gtest/gtest.h>

#include "verdict/pass_clock.h"

namespace tidegauge::verdict {
namespace {

using record::Event;
using record::EventKind;
using record::MarkSource;

Event step(double number, MarkSource source = MarkSource::Explicit, record::ProcessId who = {}) {
  return {.kind = EventKind::Step, .process = who, .source = source, .value = number};
}
Event epoch(double number) {
  return {.kind = EventKind::Epoch, .source = MarkSource::Framework, .value = number};
}
Event phase(EventKind kind, const std::string& name) {
  return {.kind = kind, .source = MarkSource::Framework, .name = name};
}

TEST(CountTrack, KeepsItsShapeWhenItIsThinned) {
  CountTrack track;
  for (int i = 0; i < 100'000; ++i) track.add(i, i < 50'000 ? i : 50'000 + 3 * (i - 50'000));
  EXPECT_LE(track.size(), CountTrack::kMostMarks + 1);
  EXPECT_NEAR(track.count_at(25'000), 25'000, 1);
  EXPECT_NEAR(track.count_at(75'000), 125'000, 200);
  EXPECT_EQ(track.count_at(1e9), track.last_count());
  EXPECT_NEAR(track.time_of(25'000), 25'000, 1);
  EXPECT_GT(track.time_of(track.last_count() + 100), track.last_at());
}

TEST(CountTrack, KnowsTheCountsAroundATime) {
  CountTrack track;
  EXPECT_EQ(track.counts_around(1), std::pair(0.0, 0.0));
  track.add(1, 10);
  track.add(2, 15);
  EXPECT_EQ(track.counts_around(0.5), std::pair(10.0, 10.0));
  EXPECT_EQ(track.counts_around(1.1), std::pair(10.0, 15.0));
  EXPECT_EQ(track.counts_around(2), std::pair(10.0, 15.0)) << "by then, but who knows since when";
  EXPECT_EQ(track.counts_around(3), std::pair(15.0, 15.0));
}

TEST(Marks, StepsAreForgottenWhenTheLastIsLongPast) {
  Marks marks;
  for (int i = 0; i <= 100; ++i) marks.add(step(i), i);
  marks.seen_at(140);
  EXPECT_NE(marks.steps(), nullptr) << "one slow step";
  EXPECT_FALSE(marks.steps_ended());
  marks.add(phase(EventKind::PhaseBegin, "eval"), 140);
  marks.seen_at(400);
  EXPECT_NE(marks.steps(), nullptr) << "an evaluation that goes on";
  marks.add(phase(EventKind::PhaseEnd, "eval"), 400);
  marks.seen_at(440);
  EXPECT_NE(marks.steps(), nullptr) << "an evaluation that was";
  marks.seen_at(460);
  EXPECT_EQ(marks.steps(), nullptr);
  EXPECT_EQ(marks.steps_ended(), 100);
  marks.add(step(101), 461);
  marks.seen_at(461);
  EXPECT_NE(marks.steps(), nullptr) << "they go on";
}

TEST(CountTrack, DoesNotRunBackwards) {
  CountTrack track;
  track.add(1, 10);
  track.add(2, 5);
  track.add(0, 20);
  track.add(3, 11);
  EXPECT_EQ(track.size(), 2u);
}

TEST(Marks, BelievesTheJobBeforeItsFrameworkAndTheFrameworkBeforeItsOutput) {
  Marks marks;
  for (int i = 0; i < 10; ++i) {
    marks.add(step(8 * i, MarkSource::Loader), i);
    marks.add(step(i, MarkSource::Framework), i);
    marks.add(step(100 + i, MarkSource::Output), i);
  }
  ASSERT_NE(marks.steps(), nullptr);
  EXPECT_EQ(marks.steps()->last_count(), 9);
  marks.add(step(50), 10);
  marks.add(step(51), 11);
  EXPECT_EQ(marks.steps()->last_count(), 51);
}

TEST(Marks, RanksThatCountTheSameStepsAreOneClock) {
  Marks marks;
  for (int i = 0; i < 100; ++i) {
    for (pid_t rank = 1; rank <= 8; ++rank) {
      marks.add(step(i, MarkSource::Framework, {rank, 1}), i + 0.01 * rank);
    }
  }
  ASSERT_NE(marks.steps(), nullptr);
  EXPECT_NEAR(marks.steps()->count_at(50), 50, 0.2);
}

TEST(Marks, KeepsPhasesWithTheirEnds) {
  Marks marks;
  for (int i = 0; i < 5; ++i) {
    marks.add(phase(EventKind::PhaseBegin, "eval"), 100 * i);
    marks.add(phase(EventKind::PhaseBegin, "eval"), 100 * i + 1);  // another rank's
    marks.add(phase(EventKind::PhaseEnd, "eval"), 100 * i + 20);
  }
  marks.add(phase(EventKind::PhaseEnd, "save"), 600);  // its begin was not told
  ASSERT_EQ(marks.events().size(), 2u);
  EXPECT_EQ(marks.events()[0].tie, Tie::Eval);
  ASSERT_EQ(marks.events()[0].stretches.size(), 5u);
  EXPECT_EQ(marks.events()[0].stretches[1].begin, 100);
  EXPECT_EQ(marks.events()[0].stretches[1].end, 120);
  EXPECT_FALSE(marks.events()[0].stretches[4].open);
  EXPECT_EQ(marks.events()[1].tie, Tie::Save);
}

TEST(Marks, StaysSmallWhateverComes) {
  Marks marks;
  for (int i = 0; i < 20'000; ++i) {
    marks.add(phase(EventKind::PhaseBegin, std::to_string(i % 100)), i);
    marks.add(phase(EventKind::PhaseEnd, std::to_string(i % 100)), i);
  }
  EXPECT_LE(marks.events().size(), Marks::kMostEventKinds);
  for (const auto& events : marks.events()) {
    EXPECT_LE(events.stretches.size(), Marks::kMostStretches);
  }
}

TEST(PassClock, CountsPassesByStepsWhereTheirNumberIsGiven) {
  Marks marks;
  for (int i = 0; i <= 100; ++i) marks.add(step(i), 9 * i);
  Rules rules;
  rules.steps_per_epoch = 40;
  const PassClock passes(marks, rules, false);
  ASSERT_TRUE(passes.known());
  EXPECT_NEAR(passes.passes_at(180), 0.5, 1e-6);
  EXPECT_NEAR(passes.passes_at(900), 2.5, 1e-6);
  EXPECT_NEAR(passes.first_pass_ends().value_or(0), 360, 1e-6);
}

TEST(Marks, StepsBeginWhenOneHasEnded) {
  Marks marks;
  marks.add(step(0), 17);
  marks.add(step(2), 115);
  marks.add(step(3), 116);
  EXPECT_EQ(marks.steps()->first_at(), 115);
  EXPECT_NEAR(marks.steps()->time_of(13), 126, 1e-9) << "at the pace of steps, not of compiling";
}

TEST(PassClock, LearnsTheLengthFromTheEpochsSeen) {
  Marks marks;
  for (int i = 0; i <= 100; ++i) {
    if (i % 25 == 0) marks.add(epoch(i / 25), 2 * i);
    marks.add(step(i), 2 * i);
  }
  const PassClock passes(marks, {}, false);
  EXPECT_NEAR(passes.steps_per_pass().value_or(0), 25, 1e-6);
}

TEST(PassClock, TakesTheLengthThatATrainerTells) {
  Marks marks;
  for (int i = 30; i <= 70; ++i) marks.add(step(i), 9 * i);
  auto told = epoch(1);
  told.name = "steps";
  told.total = 83;
  marks.add(told, 9 * 70);
  const PassClock passes(marks, {}, false);
  EXPECT_EQ(passes.steps_per_pass(), 83);
  EXPECT_NEAR(passes.first_pass_ends().value_or(0), 9 * 83, 1e-6) << "while it goes on";
}

TEST(PassClock, WithinTheFirstEpochOnlyThatIsKnown) {
  Marks marks;
  marks.add(epoch(0), 0);
  const PassClock passes(marks, {}, false);
  ASSERT_TRUE(passes.known());
  EXPECT_LT(passes.passes_at(1e6), 1);
  EXPECT_FALSE(passes.first_pass_ends());
}

TEST(PassClock, DistinctExamplesAreTheBestClock) {
  Marks marks;
  for (int i = 0; i <= 60; ++i) {
    marks.add({.kind = EventKind::Distinct,
               .source = MarkSource::Loader,
               .value = std::min(663.0, 16.0 * i),
               .total = 663.0},
              10.0 * i);
  }
  const PassClock passes(marks, {}, false);
  ASSERT_TRUE(passes.known());
  EXPECT_NEAR(passes.passes_at(207), 0.5, 0.01);
  EXPECT_NEAR(passes.first_pass_ends().value_or(0), 414, 10);
  EXPECT_GT(passes.passes_at(600), 1.3);
}

}  // namespace
}  // namespace tidegauge::verdict
