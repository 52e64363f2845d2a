// SPDX-License-Identifier: Apache-2.0
#include "view/pace.h"

#include <gtest/gtest.h>

namespace tidegauge::view {
namespace {

using record::EventKind;
using record::MarkSource;

struct Job {
  void tell(double at, EventKind kind, std::optional<double> value = {},
            MarkSource source = MarkSource::Framework, std::string name = {}) {
    record::Event event;
    event.at_ns = static_cast<std::int64_t>(at * 1e9);
    event.kind = kind;
    event.value = value;
    event.source = source;
    event.name = std::move(name);
    progress.add(event);
    pace.add(event, progress);
  }
  Progress progress{};
  Pace pace{};
};

TEST(Pace, IsTheMiddleOfAllSteps) {
  Job job;
  double at = 0;
  for (int step = 1; step <= 101; ++step)
    job.tell(at += step % 4 == 0 ? 2 : 0.5, EventKind::Step, step);
  const auto found = job.pace.seconds_per_step();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->middle, 0.5, 1e-6);
  EXPECT_NEAR(found->low, 0.5, 1e-6);
  EXPECT_LE(found->middle, found->high);
}

TEST(Pace, LeavesOutWhatWasNoTraining) {
  Job job;
  double at = 0;
  for (int step = 1; step <= 40; ++step) {
    job.tell(at += 1, EventKind::Step, step);
    if (step % 2 == 0) {  // every second step is followed by an evaluation
      job.tell(at, EventKind::PhaseBegin, {}, MarkSource::Framework, "eval");
      job.tell(at += 30, EventKind::PhaseEnd, {}, MarkSource::Framework, "eval");
    }
  }
  const auto found = job.pace.seconds_per_step();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->high, 1, 1e-6);
}

TEST(Pace, FollowsWhoKnowsBest) {
  Job job;
  for (int i = 1; i <= 50; ++i) {
    job.tell(i, EventKind::Step, i, MarkSource::Loader);
    if (i % 5 == 0) job.tell(i, EventKind::Step, i / 5, MarkSource::Framework);
  }
  const auto found = job.pace.seconds_per_step();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->middle, 5, 1e-6);
}

TEST(Pace, SaysNothingOfAFewSteps) {
  Job job;
  EXPECT_FALSE(job.pace.seconds_per_step());
  for (int step = 1; step <= 5; ++step) job.tell(step, EventKind::Step, step);
  EXPECT_FALSE(job.pace.seconds_per_step());
}

TEST(Pace, IsBoundedAndStaysRight) {
  Job job;
  for (int step = 1; step <= 100'000; ++step) job.tell(0.25 * step, EventKind::Step, step);
  EXPECT_NEAR(job.pace.seconds_per_step()->middle, 0.25, 1e-6);
}

}  // namespace
}  // namespace tidegauge::view
