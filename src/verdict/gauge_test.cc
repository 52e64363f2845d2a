// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "verdict/fake_recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {
namespace {

using record::ProcessId;
using record::Role;

constexpr double kMebibyte = 1024.0 * 1024.0;

TEST(Judge, NothingAtAllIsUndecidedAndSaysWhy) {
  const Verdicts verdicts = judge(record::Recording{}, {});
  ASSERT_EQ(verdicts.all.size(), 1u);
  EXPECT_EQ(verdicts.all[0].klass, Class::Undecided);
  EXPECT_FALSE(verdicts.all[0].evidence.empty());
}

TEST(Judge, ThreeSamplesAreTooFew) {
  FakeRecording recording;
  for (int i = 0; i < 3; ++i) recording.anon(i, {{{10, 1}, 50 * kMebibyte}});
  const Verdict verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Undecided);
  ASSERT_TRUE(verdict.needs);
  EXPECT_FALSE(verdict.needs->why.empty());
}

TEST(Judge, PutsTheTreeFirstThenTheJobNotItsWrapper) {
  const ProcessId wrapper{10, 1};
  const ProcessId job{11, 2};
  FakeRecording recording;
  recording.process(wrapper, "uv", Role::Wrapper).process(job, "python", Role::Main);
  for (int i = 0; i < 600; ++i) {
    recording.anon(i, {{wrapper, 60 * kMebibyte}, {job, 500 * kMebibyte}});
  }
  const auto all = judge(recording.get(), {}).all;
  ASSERT_GE(all.size(), 2u);
  EXPECT_FALSE(all[0].subject.process);
  EXPECT_EQ(all[0].subject.kind, Kind::Total);
  EXPECT_EQ(all[0].klass, Class::Steady);
  EXPECT_EQ(all[1].subject.process, job);
  EXPECT_EQ(all[1].subject.role, Role::Main);
}

TEST(Judge, ALongStraightLineIsALeak) {
  FakeRecording recording;
  for (int i = 0; i < 7200; ++i) recording.anon(i, {{{10, 1}, (500 + 0.05 * i) * kMebibyte}});
  const Verdict verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Leak);
  ASSERT_TRUE(verdict.bytes_per_minute);
  EXPECT_NEAR(verdict.bytes_per_minute->value, 3 * kMebibyte, 0.1 * kMebibyte);
  EXPECT_LE(verdict.bytes_per_minute->low, 3 * kMebibyte);
  EXPECT_GE(verdict.bytes_per_minute->high, 3 * kMebibyte);
}

FakeRecording an_hour_of(const ProcessId& job, double megabytes_per_second) {
  FakeRecording out;
  for (int i = 0; i < 3600; ++i) {
    out.anon(i, {{job, (500 + megabytes_per_second * i) * kMebibyte}});
  }
  return out;
}

record::Event ended(double at, const ProcessId& id) {
  return {.at_ns = nanoseconds(at), .kind = record::EventKind::Exited, .process = id};
}

TEST(Judge, AJobThatIsBeingTakenDownHasNotShrunk) {
  const ProcessId job{10, 1};
  for (const double rate : {0.0, 0.05}) {
    FakeRecording whole = an_hour_of(job, rate);
    FakeRecording seen_ending = whole;
    for (int i = 0; i < 5; ++i) {
      seen_ending.anon(3600 + i, {{job, (400 - 80 * i) * kMebibyte}});
    }
    whole.event(ended(3606, job));
    seen_ending.event(ended(3606, job));
    const Verdict expected = judge(whole.get(), {}).all.front();
    const Verdict verdict = judge(seen_ending.get(), {}).all.front();
    EXPECT_EQ(verdict.klass, rate > 0 ? Class::Leak : Class::Steady);
    EXPECT_EQ(verdict.p_leak, expected.p_leak);
    EXPECT_EQ(verdict.last_bytes, expected.last_bytes);
  }
}

TEST(Judge, WhatIsFreedAndTakenWhileAJobEndsIsNeitherAFallNorGrowth) {
  const ProcessId job{10, 1};
  FakeRecording whole = an_hour_of(job, 0);
  FakeRecording seen_ending = whole;
  // The caches are freed, and a library is loaded on the way out.
  for (int i = 0; i < 6; ++i) seen_ending.anon(3600 + i, {{job, 330 * kMebibyte}});
  seen_ending.anon(3606, {{job, 370 * kMebibyte}});
  whole.event(ended(3607, job));
  seen_ending.event(ended(3607, job));
  const Verdict expected = judge(whole.get(), {}).all.front();
  const Verdict verdict = judge(seen_ending.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, expected.klass);
  EXPECT_EQ(verdict.last_bytes, expected.last_bytes);
}

TEST(Judge, ASpikeShortlyBeforeTheEndIsASpike) {
  const ProcessId job{10, 1};
  FakeRecording recording = an_hour_of(job, 0);
  const double floor = judge(recording.get(), {}).all.front().last_bytes;
  for (int i = 0; i < 20; ++i) recording.anon(3600 + i, {{job, 3 * floor}});
  for (int i = 20; i < 25; ++i) recording.anon(3600 + i, {{job, floor}});
  recording.event(ended(3626, job));
  EXPECT_EQ(judge(recording.get(), {}).all.front().last_bytes, floor);
}

TEST(Judge, WhatIsTakenAgainAfterAFallIsNoEnd) {
  const ProcessId job{10, 1};
  FakeRecording recording = an_hour_of(job, 0);
  for (int i = 0; i < 8; ++i) recording.anon(3600 + i, {{job, (100 + 50 * i) * kMebibyte}});
  EXPECT_EQ(judge(recording.get(), {}).all.front().last_bytes, 450 * kMebibyte);
  recording.event(ended(3608, job));
  EXPECT_EQ(judge(recording.get(), {}).all.front().last_bytes, 450 * kMebibyte);
}

TEST(Judge, AFallBecauseOfAnotherProgramIsNoEnd) {
  const ProcessId job{10, 1};
  FakeRecording recording = an_hour_of(job, 0);
  recording.event({.at_ns = nanoseconds(3600), .kind = record::EventKind::Exec, .process = job});
  for (int i = 0; i < 8; ++i) recording.anon(3600 + i, {{job, (50 + i) * kMebibyte}});
  recording.event(ended(3608, job));
  EXPECT_EQ(judge(recording.get(), {}).all.front().last_bytes, 57 * kMebibyte);
}

// 20 steps in the first 95 seconds, and then none for more than an hour.
Verdict with_early_steps(const std::function<double(double)>& megabytes) {
  FakeRecording recording;
  for (int i = 0; i < 500; ++i) {
    const double at = 10.0 * i;
    if (i < 10) recording.step(at, 2 * i).step(at + 5, 2 * i + 1);
    recording.column(at, (megabytes(at) + i * 7919 % 5) * kMebibyte);
  }
  return judge(recording.get(), {}).all.front();
}

TEST(Judge, StepsThatAreLongPastAreNoClock) {
  const Verdict warm_up =
      with_early_steps([](double at) { return 1000 + 0.8 * std::min(at, 1000.0); });
  EXPECT_EQ(warm_up.klass, Class::WarmUp) << warm_up.p_leak;
  ASSERT_TRUE(warm_up.settled);
  EXPECT_NEAR(warm_up.settled->at_seconds.value_or(0), 1000, 60);
  EXPECT_FALSE(warm_up.settled->at_step);
  const Verdict leak = with_early_steps([](double at) { return 1000 + 0.2 * at; });
  EXPECT_EQ(leak.klass, Class::Leak) << leak.p_leak;
  ASSERT_TRUE(leak.bytes_per_minute);
  EXPECT_NEAR(leak.bytes_per_minute->value, 12 * kMebibyte, kMebibyte);
  EXPECT_FALSE(leak.bytes_per_step);
}

TEST(Judge, AJobThatShrinksAndLivesOnHasShrunk) {
  const ProcessId job{10, 1};
  FakeRecording recording = an_hour_of(job, 0);
  for (int i = 3600; i < 3605; ++i) recording.anon(i, {{job, 200 * kMebibyte}});
  EXPECT_EQ(judge(recording.get(), {}).all.front().last_bytes, 200 * kMebibyte);
  for (int i = 3605; i < 5000; ++i) recording.anon(i, {{job, 200 * kMebibyte}});
  EXPECT_EQ(judge(recording.get(), {}).all.front().klass, Class::Shift);
}

TEST(Judge, AWrapperThatOutlivesTheJobIsNotWhatWasAskedAbout) {
  const ProcessId shell{9, 1};
  const ProcessId job{10, 1};
  for (const int tidying : {1, 4, 60, 600}) {
    FakeRecording recording;
    recording.process(shell, "bash", Role::Wrapper).process(job, "python", Role::Main);
    for (int i = 0; i < 3600; ++i) {
      recording.anon(i, {{shell, 3 * kMebibyte}, {job, (500 + 0.05 * i) * kMebibyte}});
    }
    recording.event(ended(3599.5, job));
    for (int i = 0; i < tidying; ++i) recording.anon(3600 + i, {{shell, 3 * kMebibyte}});
    recording.event(ended(3600 + tidying, shell));
    const Verdict verdict = judge(recording.get(), {}).all.front();
    EXPECT_EQ(verdict.klass, Class::Leak) << tidying;
    ASSERT_TRUE(verdict.grower) << tidying;
    EXPECT_EQ(verdict.grower->process, job) << tidying;
  }
}

TEST(Judge, ACopyThatOutlivesTheJobForAMomentDoesNotTakeItsPlace) {
  const ProcessId job{10, 1};
  const ProcessId copy{11, 9};
  FakeRecording recording;
  recording.process(job, "python", Role::Main);
  const auto held = [](double at) { return (500 + 0.05 * at) * kMebibyte; };
  for (int i = 0; i < 3590; ++i) recording.anon(i, {{job, held(i)}});
  recording.process(copy, "python", Role::Main);
  for (int i = 3590; i < 3600; ++i) recording.anon(i, {{job, held(i)}, {copy, held(3590)}});
  recording.event(ended(3599.5, job));
  for (int i = 3600; i < 3605; ++i) recording.anon(i, {{copy, held(3590)}});
  recording.event(ended(3605, copy));
  EXPECT_EQ(judge(recording.get(), {}).all.front().klass, Class::Leak);
}

// Two values and nothing else: the one change is no rounding.
TEST(Judge, OneJumpBetweenTwoValuesIsAJump) {
  FakeRecording recording;
  for (int i = 0; i < 3600; ++i) recording.column(i, (i < 1800 ? 1000 : 3000) * kMebibyte);
  const Verdict verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Shift);
  ASSERT_TRUE(verdict.settled);
  EXPECT_NEAR(*verdict.settled->at_seconds, 1800, 40);
  EXPECT_EQ(verdict.settled->level_bytes, 3000 * kMebibyte);
}

TEST(Judge, AShortJobThatAllocatesOnceJumpsWhereItDid) {
  FakeRecording recording;
  for (int i = 0; i < 64; ++i) recording.anon(0.5 * i, {{{10, 1}, (i < 32 ? 2 : 402) * kMebibyte}});
  const Verdict verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Shift);
  ASSERT_TRUE(verdict.settled);
  EXPECT_NEAR(*verdict.settled->at_seconds, 16, 1.5);
}

TEST(Judge, WhatFellAndLiesStillIsNotSaidToGrow) {
  for (const double slope : {-0.02, 0.0}) {
    FakeRecording recording;
    for (int i = 0; i < 300; ++i) {
      const double noise = 0.001 * (i * 7919 % 13);
      const double held = i < 60 ? 1000 : 50 + slope * (i - 60);
      recording.column(10 * i, (held + noise) * kMebibyte);
    }
    const Verdict verdict = judge(recording.get(), {}).all.front();
    EXPECT_EQ(verdict.klass, Class::Shift) << slope;
    for (const auto& sentence : verdict.evidence) {
      EXPECT_EQ(sentence.find("still grows"), sentence.npos) << sentence;
    }
    EXPECT_NE(verdict.evidence.front().find("does not grow"), std::string::npos)
        << verdict.evidence.front();
  }
}

TEST(Judge, AGivenLimitThatWasPassedIsNoForecast) {
  FakeRecording recording;
  for (int i = 0; i < 3600; ++i) {
    recording.column(i, (500 + 0.5 * std::min(i, 1000)) * kMebibyte);
  }
  Rules rules;
  rules.limit_bytes = 900 * kMebibyte;
  const Verdict verdict = judge(recording.get(), rules).all.front();
  EXPECT_EQ(verdict.klass, Class::WarmUp);
  EXPECT_TRUE(limit_passed(verdict));
  ASSERT_TRUE(verdict.forecast);
  EXPECT_EQ(verdict.forecast->p50, 0);
  EXPECT_EQ(verdict.forecast->probability, 1);
  rules.limit_bytes = 1100 * kMebibyte;
  const Verdict fits = judge(recording.get(), rules).all.front();
  EXPECT_FALSE(limit_passed(fits));
  EXPECT_FALSE(fits.forecast);
}

// What came after the last census can be nobody's that it named.
TEST(Judge, GrowthSinceTheLastCensusIsNotUnexplained) {
  const ProcessId job{10, 1};
  FakeRecording recording;
  recording.process(job, "python", Role::Main);
  for (int i = 0; i < 140; ++i) {
    recording.anon(0.1 * i, {{job, (10 + i) * kMebibyte}});
    if (i != 90) continue;
    recording.event({.at_ns = nanoseconds(0.1 * i),
                     .kind = record::EventKind::Held,
                     .process = job,
                     .name = "bytearray __main__.kept[*]",
                     .value = 88 * kMebibyte,
                     .total = 88});
  }
  const Verdict verdict = judge(recording.get(), {}).all.front();
  ASSERT_EQ(verdict.causes.size(), 1u);
  EXPECT_GT(*verdict.causes[0].share, 0.9);
  ASSERT_TRUE(verdict.unexplained_bytes);
  EXPECT_LT(*verdict.unexplained_bytes, 8 * kMebibyte);
}

TEST(Judge, KnowsWhetherTheJobHasEnded) {
  const ProcessId job{10, 1};
  FakeRecording recording;
  for (int i = 0; i < 60; ++i) recording.anon(i, {{job, (100 + i) * kMebibyte}});
  EXPECT_FALSE(judge(recording.get(), {}).all.front().job_ended);
  recording.event(ended(60, job));
  const Verdict over = judge(recording.get(), {}).all.front();
  EXPECT_TRUE(over.job_ended);
  for (const auto& sentence : over.evidence) {
    EXPECT_EQ(sentence.find("Look again"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("If it goes on"), std::string::npos) << sentence;
  }
  recording.anon(61, {{{11, 2}, 100 * kMebibyte}});
  EXPECT_FALSE(judge(recording.get(), {}).all.front().job_ended);
}

TEST(Gauge, SaysTheSameAsJudgeAtAnyTime) {
  FakeRecording recording;
  Gauge gauge({});
  gauge.begin(recording.get().header);
  for (int i = 0; i < 2000; ++i) {
    const double bytes = (300 + 0.1 * std::min(i, 900)) * kMebibyte;
    recording.anon(i, {{{10, 1}, bytes}});
    gauge.add(recording.get().entries.back());
    if (i % 400 != 399) continue;
    const auto streamed = gauge.judge();
    const auto whole = judge(recording.get(), {});
    ASSERT_EQ(streamed.all.size(), whole.all.size());
    const auto first = gauge.judge_first();
    ASSERT_EQ(first.all.size(), 1u);
    EXPECT_EQ(first.all[0].evidence, whole.all[0].evidence);
    EXPECT_EQ(first.explanation, whole.explanation);
    for (std::size_t k = 0; k < whole.all.size(); ++k) {
      EXPECT_EQ(streamed.all[k].klass, whole.all[k].klass);
      EXPECT_EQ(streamed.all[k].p_leak, whole.all[k].p_leak);
      EXPECT_EQ(streamed.all[k].evidence, whole.all[k].evidence);
    }
  }
  EXPECT_EQ(gauge.judge().all[0].klass, Class::WarmUp);
}

// Samples that repeat the one before are not looked at one by one. Told of the
// processes again, the gauge looks.
TEST(Gauge, SamplesThatRepeatTheOneBeforeCountAsMuchAsOthers) {
  const ProcessId job{10, 1};
  const ProcessId worker{11, 2};
  FakeRecording quick, thorough;
  for (auto* recording : {&quick, &thorough}) {
    for (int i = 0; i < 1500; ++i) {
      if (i == 0 || recording == &thorough) {
        recording->process(job, "python", Role::Main).process(worker, "python", Role::Other);
      }
      const double bytes = (300 + 20 * (i / 97) - (i % 500 == 250 ? 200 : 0)) * kMebibyte;
      if (i / 100 % 3 == 0) {
        recording->anon(i, {{job, bytes}});
      } else {
        recording->anon(i, {{job, bytes}, {worker, 80 * kMebibyte}});
      }
    }
  }
  const auto few = judge(quick.get(), {});
  const auto all = judge(thorough.get(), {});
  ASSERT_EQ(few.all.size(), all.all.size());
  EXPECT_EQ(few.explanation, all.explanation);
  for (std::size_t k = 0; k < all.all.size(); ++k) {
    EXPECT_EQ(few.all[k].klass, all.all[k].klass);
    EXPECT_EQ(few.all[k].p_leak, all.all[k].p_leak);
    EXPECT_EQ(few.all[k].evidence, all.all[k].evidence);
  }
}

}  // namespace
}  // namespace tidegauge::verdict
