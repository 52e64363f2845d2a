// SPDX-License-Identifier: Apache-2.0
// The incident that this project starts from, point by point: memory of a training job by optimizer
// step, one run stopped at step 70 by somebody who took it for a leak, the other left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "verdict/fake_recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {
namespace {

constexpr double kMegabyte = 1e6;
constexpr double kStepsPerEpoch = 663.0 / 8;  // examples, batch 2 with 4 accumulated
const std::vector<double> kRun1 = {5552, 7159, 8851, 10515, 12227, 13919, 15736};
const std::vector<double> kRun2 = {5434,  7017,  8721,  10375, 12000, 13757, 15559, 17412,
                                   17658, 17693, 17694, 17694, 17437, 17437, 17437, 17378,
                                   17378, 17229, 17229, 17051, 17052, 17041, 17033, 17032};

// Run 1, had it gone on as the leak it was taken for.
std::vector<double> run1_as_a_leak() {
  auto values = kRun1;
  while (values.size() < 24) values.push_back(values.back() + 1700);
  return values;
}

Verdict at_step(const std::vector<double>& megabytes, int step, const Rules& rules = {}) {
  FakeRecording recording;
  recording.by_steps();
  for (int i = 1; i <= step / 10; ++i) {
    recording.column(10.0 * i, megabytes.at(static_cast<std::size_t>(i - 1)) * kMegabyte);
  }
  Rules with_limit = rules;
  with_limit.limit_bytes = 32e9;
  return judge(recording.get(), with_limit).all.front();
}

Rules epoch_known() {
  Rules rules;
  rules.steps_per_epoch = kStepsPerEpoch;
  return rules;
}

TEST(Incident, Run1AtStep70CannotBeDecided) {
  const Verdict verdict = at_step(kRun1, 70);
  EXPECT_EQ(verdict.klass, Class::Undecided);
  ASSERT_TRUE(verdict.bytes_per_step);
  EXPECT_NEAR(verdict.bytes_per_step->value, 171 * kMegabyte, 5 * kMegabyte);
  EXPECT_FALSE(verdict.bytes_per_minute);
  ASSERT_TRUE(verdict.needs);
  ASSERT_TRUE(verdict.needs->at_step);
  EXPECT_GT(*verdict.needs->at_step, 70);
  EXPECT_LE(*verdict.needs->at_step, 140) << "twice what was seen is far enough";
  ASSERT_TRUE(verdict.forecast);
  EXPECT_LT(*verdict.needs->at_step - 70, verdict.forecast->p5) << "look again before it is full";
}

TEST(Incident, Run1AtStep70KnowsWhereTheFirstPassWouldEnd) {
  const Verdict verdict = at_step(kRun1, 70, epoch_known());
  EXPECT_EQ(verdict.klass, Class::Undecided);
  EXPECT_EQ(verdict.tied_to, Tie::FirstPass);
  ASSERT_TRUE(verdict.needs && verdict.needs->at_step);
  EXPECT_GT(*verdict.needs->at_step, 83);
  EXPECT_LE(*verdict.needs->at_step, 105);
  ASSERT_TRUE(verdict.needs->if_bounded);
  EXPECT_NEAR(verdict.needs->if_bounded->at_step.value_or(0), 83, 1);
  EXPECT_NEAR(verdict.needs->if_bounded->level_bytes, 17.8e9, 0.3e9);
}

TEST(Incident, Run2SettledAtTheEndOfTheFirstEpoch) {
  const Verdict verdict = at_step(kRun2, 240, epoch_known());
  EXPECT_EQ(verdict.klass, Class::WarmUp);
  EXPECT_EQ(verdict.tied_to, Tie::FirstPass);
  ASSERT_TRUE(verdict.settled && verdict.settled->at_step);
  EXPECT_GE(*verdict.settled->at_step, 80);
  EXPECT_LE(*verdict.settled->at_step, 85);
  EXPECT_NEAR(verdict.settled->level_bytes, 17.03e9, 0.1e9);
  EXPECT_FALSE(verdict.forecast);
  EXPECT_LT(verdict.p_leak, 0.1);
}

// The job from its start, looked at now and then: libraries, then 663 images in 83 steps, then two
// more passes that read nothing anew and are `quicker`. What it holds wavers by some MB from look
// to look.
struct Course {
  double step_seconds;
  double quicker;
  double interval_seconds;
};

Verdict from_its_start(const Course& course) {
  constexpr double kImports = 5;     // seconds
  constexpr double kPerStep = 5.64;  // MB
  constexpr double kSteps = 83;      // a pass
  constexpr double kExamples = 663;
  const double first_pass = kSteps * course.step_seconds;
  const double pass_after = first_pass / course.quicker;
  FakeRecording recording;
  double told = 0;
  for (int look = 0;; ++look) {
    const double at = look * course.interval_seconds;
    const double trained = std::max(0.0, at - kImports);
    const double passes =
        trained < first_pass ? trained / first_pass : 1 + (trained - first_pass) / pass_after;
    if (passes > 3) break;
    const double step = std::floor(passes * kSteps);
    if (step > told) recording.step(at, step);
    told = step;
    if (at > kImports) {
      recording.event({.at_ns = nanoseconds(at),
                       .kind = record::EventKind::Distinct,
                       .source = record::MarkSource::Loader,
                       .value = std::floor(std::min(1.0, passes) * kExamples),
                       .total = kExamples});
    }
    const double wavers = 5 * ((look * 7919) % 5);
    const double imported = 800 * std::min(1.0, at / kImports);
    recording.column(at,
                     (imported + kPerStep * kSteps * std::min(1.0, passes) + wavers) * kMegabyte);
  }
  Rules rules;
  rules.steps_per_epoch = kSteps;
  return judge(recording.get(), rules).all.front();
}

TEST(Incident, TheFirstPassEndsAtItsStepHoweverQuickTheNextOnesAre) {
  for (const double interval : {0.1, 0.5, 1.0}) {
    for (const double quicker : {1.0, 3.0, 10.0}) {
      const Verdict verdict = from_its_start({0.5, quicker, interval});
      ASSERT_EQ(verdict.klass, Class::WarmUp) << interval << " " << quicker;
      EXPECT_EQ(verdict.tied_to, Tie::FirstPass) << interval << " " << quicker;
      ASSERT_TRUE(verdict.settled && verdict.settled->at_step);
      EXPECT_NEAR(*verdict.settled->at_step, 83, 1) << interval << " " << quicker;
      EXPECT_NEAR(verdict.settled->bytes_per_step_before.value_or(0), 5.64 * kMegabyte,
                  0.4 * kMegabyte)
          << "of steps, not of imports; " << interval << " " << quicker;
    }
  }
}

// A straight ramp of six minutes, of a job that counts its steps: 100 an epoch.
Verdict ramp_of_a_job(double epochs, bool marks) {
  FakeRecording recording;
  const int steps = static_cast<int>(100 * epochs);
  const double seconds_per_step = 6 * 60.0 / steps;
  for (int step = 0; step <= steps; ++step) {
    const double at = step * seconds_per_step;
    if (marks) {
      if (step % 100 == 0) {
        recording.event({.at_ns = nanoseconds(at),
                         .kind = record::EventKind::Epoch,
                         .source = record::MarkSource::Explicit,
                         .value = step / 100.0});
      }
      recording.step(at, step);
    }
    recording.column(at, (2000 + 2 * at) * kMegabyte);
  }
  return judge(recording.get(), {}).all.front();
}

TEST(Marks, DecideWhatSecondsCannot) {
  const Verdict unmarked = ramp_of_a_job(2.5, false);
  EXPECT_EQ(unmarked.klass, Class::Undecided);
  ASSERT_TRUE(unmarked.needs && unmarked.needs->seconds);
  EXPECT_GT(*unmarked.needs->seconds, 0);
  const Verdict past_the_first_pass = ramp_of_a_job(2.5, true);
  EXPECT_EQ(past_the_first_pass.klass, Class::Leak) << past_the_first_pass.p_leak;
  EXPECT_TRUE(past_the_first_pass.bytes_per_step);
  const Verdict within_it = ramp_of_a_job(0.8, true);
  EXPECT_EQ(within_it.klass, Class::Undecided) << within_it.p_leak;
  ASSERT_TRUE(within_it.needs);
}

TEST(Length, NoShapeMakesARecordingOlderThanItIs) {
  // Imports for twenty seconds, then a straight line for some minutes: a first pass, or a leak.
  for (const int seconds : {60, 180, 600}) {
    FakeRecording recording;
    for (int at = 0; at < seconds; ++at) {
      recording.column(at, (30 + 75.0 * std::min(at, 20) + 3.0 * std::max(0, at - 20)) * 1e6);
    }
    const Verdict verdict = judge(recording.get(), {}).all.front();
    EXPECT_EQ(verdict.klass, Class::Undecided) << seconds << " s, p = " << verdict.p_leak;
  }
}

struct Look {
  const char* run;
  int step;
  bool epoch_is_known;
  Class wanted;
};

class IncidentStepByStep : public testing::TestWithParam<Look> {};

TEST_P(IncidentStepByStep, SaysTheRightWordAtEveryStep) {
  const Look& look = GetParam();
  const auto values = look.run[0] == '2' ? kRun2 : run1_as_a_leak();
  const Verdict verdict = at_step(values, look.step, look.epoch_is_known ? epoch_known() : Rules{});
  EXPECT_EQ(verdict.klass, look.wanted) << "p = " << verdict.p_leak << ": " << verdict.evidence[0];
  EXPECT_FALSE(verdict.evidence.empty());
}

constexpr Class kWait = Class::Undecided;
INSTANTIATE_TEST_SUITE_P(
    Steps, IncidentStepByStep,
    testing::Values(Look{"2", 60, false, kWait}, Look{"2", 70, false, kWait},
                    Look{"2", 80, false, kWait}, Look{"2", 90, false, kWait},
                    Look{"2", 100, false, kWait}, Look{"2", 110, false, Class::WarmUp},
                    Look{"2", 150, false, Class::WarmUp}, Look{"2", 240, false, Class::WarmUp},
                    Look{"2", 70, true, kWait}, Look{"2", 80, true, kWait},
                    Look{"2", 110, true, Class::WarmUp}, Look{"2", 240, true, Class::WarmUp},
                    // Without knowing the epoch, a straight line of 240 points is still no proof.
                    Look{"1 as a leak", 60, false, kWait}, Look{"1 as a leak", 70, false, kWait},
                    Look{"1 as a leak", 80, false, kWait}, Look{"1 as a leak", 110, false, kWait},
                    Look{"1 as a leak", 240, false, kWait},
                    // Knowing it, the first pass being over is proof enough.
                    Look{"1 as a leak", 70, true, kWait}, Look{"1 as a leak", 80, true, kWait},
                    Look{"1 as a leak", 90, true, kWait},
                    Look{"1 as a leak", 110, true, Class::Leak},
                    Look{"1 as a leak", 150, true, Class::Leak},
                    Look{"1 as a leak", 240, true, Class::Leak}));

}  // namespace
}  // namespace tidegauge::verdict
