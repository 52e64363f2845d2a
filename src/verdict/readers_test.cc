// SPDX-License-Identifier: Apache-2.0
// Loader workers that keep what they read, on recordings made up for it.
#include "verdict/readers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

using record::EventKind;
using record::MarkSource;
using record::ProcessId;
using record::Role;

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kExamples = 663;
constexpr double kEpochSeconds = 300;
constexpr double kStepsPerEpoch = 83;
constexpr double kPerExample = 2.5;  // MiB
constexpr int kWorkers = 4;
const ProcessId kJob{100, 1};

ProcessId worker(int i) {
  return {101 + i, 1};
}

// Of one of four workers that share the examples anew in each epoch.
double read_by(int i, double at) {
  const double epoch = std::floor(at / kEpochSeconds);
  const double left = kExamples * std::pow(1 - 1.0 / kWorkers, epoch);
  const double within = at / kEpochSeconds - epoch;
  return std::floor(kExamples - left + left / kWorkers * within + 0.2 * i);
}

struct Leaks {  // MiB per second
  double of_job = 0;
  double of_workers = 0;
};

FakeRecording four_workers(double seconds, const Leaks& leaks, double kept = kPerExample) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int i = 0; i < kWorkers; ++i) recording.process(worker(i), "worker", Role::LoaderWorker);
  for (int at = 0; at < seconds; ++at) {
    if (at % 4 == 0) recording.step(at, std::floor(at / kEpochSeconds * kStepsPerEpoch));
    std::vector<std::pair<ProcessId, double>> held = {
        {kJob, (900 + leaks.of_job * at) * kMebibyte}};
    for (int i = 0; i < kWorkers; ++i) {
      const double read = read_by(i, at);
      recording.event({.at_ns = nanoseconds(at),
                       .kind = EventKind::Distinct,
                       .process = worker(i),
                       .source = MarkSource::Loader,
                       .value = read,
                       .total = kExamples});
      held.emplace_back(worker(i), (200 + kept * read + leaks.of_workers * at) * kMebibyte);
    }
    recording.anon(at, held);
  }
  return recording;
}

bool says(const Verdict& verdict, const std::string& words) {
  return std::any_of(
      verdict.evidence.begin(), verdict.evidence.end(),
      [&](const std::string& sentence) { return sentence.find(words) != std::string::npos; });
}

TEST(Readers, EachWorkersGrowthIsTiedToWhatItReadItself) {
  const auto verdicts = judge(four_workers(5 * kEpochSeconds, {}).get(), {});
  const Verdict& tree = verdicts.all.front();
  EXPECT_EQ(tree.klass, Class::WarmUp);
  EXPECT_EQ(tree.tied_to, Tie::FirstPass);
  EXPECT_TRUE(says(tree, "4 of 4 loader workers grow"));
  EXPECT_TRUE(says(tree, "4 processes read the data, each for itself"));
  std::size_t workers = 0;
  for (const auto& verdict : verdicts.all) {
    if (verdict.subject.role != Role::LoaderWorker) continue;
    ++workers;
    EXPECT_EQ(verdict.klass, Class::WarmUp);
    EXPECT_EQ(verdict.tied_to, Tie::FirstPass);
    EXPECT_TRUE(says(verdict, "with each example that is read for the first time"));
  }
  EXPECT_EQ(workers, 4u);
}

TEST(Readers, AJobThatTakesItsTimeToEndIsJudgedByItsWork) {
  // The steps are over, the workers leave, and then libraries are taken down at leisure.
  constexpr double kWorked = 5 * kEpochSeconds;
  for (const int ending : {2, 40, 240}) {
    FakeRecording recording = four_workers(kWorked, {});
    for (int i = 0; i < kWorkers; ++i) {
      recording.event(
          {.at_ns = nanoseconds(kWorked), .kind = EventKind::Exited, .process = worker(i)});
    }
    for (int i = 1; i <= ending; ++i) recording.anon(kWorked + i, {{kJob, 850 * kMebibyte}});
    recording.event(
        {.at_ns = nanoseconds(kWorked + ending + 1), .kind = EventKind::Exited, .process = kJob});
    const Verdict tree = judge(recording.get(), {}).all.front();
    EXPECT_EQ(tree.klass, Class::WarmUp) << ending;
    EXPECT_EQ(tree.tied_to, Tie::FirstPass) << ending;
    EXPECT_TRUE(says(tree, "4 of 4 loader workers grow")) << ending;
  }
}

TEST(Readers, WhenEachHasReadAllItIsOver) {
  const auto tree = judge(four_workers(40 * kEpochSeconds, {}).get(), {}).all.front();
  EXPECT_EQ(tree.klass, Class::WarmUp);
  ASSERT_TRUE(tree.settled);
  EXPECT_NEAR(tree.settled->level_bytes / kMebibyte, 900 + 4 * (200 + kPerExample * kExamples), 60);
}

TEST(Readers, ALeakOfTheWorkersIsNotHiddenByWhatTheyRead) {
  const auto tree =
      judge(four_workers(12 * kEpochSeconds, {.of_workers = 0.4}).get(), {}).all.front();
  EXPECT_NE(tree.klass, Class::WarmUp);
  EXPECT_NE(tree.klass, Class::Steady);
}

TEST(Readers, ALeakOfTheJobIsJudgedByTheJobsPasses) {
  // No worker has read everything after six epochs; the job has been through the data six times.
  const auto recording = four_workers(6 * kEpochSeconds, {.of_job = 1}, 0);
  const auto verdicts = judge(recording.get(), {});
  EXPECT_EQ(verdicts.all.front().klass, Class::Leak);
  EXPECT_EQ(verdicts.all[1].subject.process, kJob);
  EXPECT_EQ(verdicts.all[1].klass, Class::Leak);
}

TEST(Readers, WithinTheFirstPassNothingIsDecided) {
  const auto tree = judge(four_workers(0.8 * kEpochSeconds, {}).get(), {}).all.front();
  EXPECT_EQ(tree.klass, Class::Undecided);
}

TEST(Readers, StayFewWhateverComes) {
  Marks marks;
  for (int i = 0; i < 1000; ++i) {
    for (int k = 1; k <= 2000; k += 100) {
      marks.add({.kind = EventKind::Distinct,
                 .process = {i, 1},
                 .source = MarkSource::Loader,
                 .value = k,
                 .total = 1e6},
                i);
    }
  }
  EXPECT_EQ(marks.readers().size(), Marks::kMostReaders);
}

// Imports, then steps, and an evaluation every minute that needs 300 MiB for a while.
FakeRecording evaluations(double start_up_mebibytes) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int at = 0; at < 1200; ++at) {
    const double started = std::min(1.0, at / 60.0);
    const bool evaluates = at > 100 && at % 60 >= 50;
    if (at >= 60) recording.step(at, at - 59);
    if (evaluates && at % 60 == 50) recording.phase(at, at + 9, "eval");
    const double held = 100 + started * start_up_mebibytes + (evaluates ? 300 : 0);
    recording.anon(at, {{kJob, held * kMebibyte}});
  }
  return recording;
}

TEST(StartUp, IsNotWhatTheStepsDo) {
  const auto verdict = judge(evaluations(700).get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Spikes);
  EXPECT_EQ(verdict.spikes.tied_to, Tie::Eval);
  EXPECT_TRUE(says(verdict, "Before its first step the job took"));
}

TEST(StartUp, IsNoReasonToCallAShortTrainingSteady) {
  // Ten seconds of imports, three of steps that leak, and the end.
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int at = 0; at < 14; ++at) {
    const double started = std::min(1.0, at / 8.0);
    const double leaked = at < 10 ? 0 : 45 * (at - 10);
    if (at >= 10) recording.step(at - 0.5, 100 * (at - 10) + 1);
    recording.anon(at, {{kJob, (20 + 700 * started + leaked) * kMebibyte}});
  }
  const auto verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Undecided);
  EXPECT_TRUE(says(verdict, "Only 4 samples came after the job's first step"));
}

TEST(Spikes, ThatComeWithEvaluationsAreNoTeethHoweverLong) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int at = 0; at < 1200; ++at) {
    const int within = at % 60;
    if (within == 10 && at > 60) recording.phase(at, at + 49, "eval");
    const double rising = within < 10 || at <= 60 ? 0 : 6.0 * (within - 10);
    recording.anon(at, {{kJob, (500 + rising) * kMebibyte}});
  }
  const auto verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Spikes);
  EXPECT_EQ(verdict.spikes.tied_to, Tie::Eval);
}

TEST(StartUp, IsLeftInWhereMarksBeginInTheMiddle) {
  FakeRecording recording;
  recording.process(kJob, "python", Role::Main);
  for (int at = 0; at < 7200; at += 2) {
    if (at >= 3000) recording.step(at, at);
    recording.anon(at, {{kJob, (500 + 0.05 * at) * kMebibyte}});
  }
  const auto verdict = judge(recording.get(), {}).all.front();
  EXPECT_EQ(verdict.klass, Class::Leak);
  EXPECT_FALSE(says(verdict, "Before its first step"));
}

}  // namespace
}  // namespace tidegauge::verdict
