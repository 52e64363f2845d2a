// SPDX-License-Identifier: Apache-2.0
#include "record/mark_choice.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace tidegauge::record {
namespace {

constexpr ProcessId kJob{1, 1};
constexpr ProcessId kWorker{2, 1};

// What a job sends, in order, a nanosecond apart.
struct Script {
  std::vector<JobMark> marks{};
  Script& add(EventKind kind, MarkSource source, std::uint32_t which, double number,
              ProcessId process = kJob, std::uint64_t data_set = 0, double total = 0) {
    Event event{.at_ns = static_cast<std::int64_t>(marks.size()),
                .kind = kind,
                .process = process,
                .source = source,
                .value = number};
    if (total > 0) event.total = total;
    marks.push_back({event, which, data_set});
    return *this;
  }
  Script& optimizer(std::uint32_t which, double number) {
    return add(EventKind::Step, MarkSource::Optimizer, which, number);
  }
  Script& trainer(std::uint32_t which, double number) {
    return add(EventKind::Step, MarkSource::Framework, which, number);
  }
  Script& pass(std::uint32_t loader, double number, std::uint64_t data_set) {
    return add(EventKind::Epoch, MarkSource::Loader, loader, number, kJob, data_set);
  }
  Script& batch(std::uint32_t loader, double number) {
    return add(EventKind::Step, MarkSource::Loader, loader, number);
  }
  Script& seen(std::uint32_t data_set, double count, double size, ProcessId process = kJob) {
    return add(EventKind::Distinct, MarkSource::Loader, data_set, count, process, 0, size);
  }
  std::vector<Event> chosen() const { return MarkChoice().choose(marks); }
};

std::vector<double> numbers(const std::vector<Event>& events, EventKind kind, MarkSource source) {
  std::vector<double> all;
  for (const auto& event : events) {
    if (event.kind == kind && event.source == source) all.push_back(event.value.value_or(-1));
  }
  return all;
}

std::vector<double> steps(const Script& script, MarkSource source) {
  return numbers(script.chosen(), EventKind::Step, source);
}

std::vector<double> counted_to(int last) {
  std::vector<double> all;
  for (int i = 1; i <= last; ++i) all.push_back(i);
  return all;
}

TEST(OptimizerChoice, OfOnePerParameterTheFirstCounts) {
  Script script;
  for (int step = 1; step <= 30; ++step) {
    for (std::uint32_t which = 10; which < 20; ++which) script.optimizer(which, step);
  }
  EXPECT_EQ(steps(script, MarkSource::Optimizer), counted_to(30));
}

TEST(OptimizerChoice, OneThatStepsMoreOftenDoesNotTakeOverAsLongAsTheFirstSteps) {
  Script script;
  double critic = 0;
  for (int step = 1; step <= 20; ++step) {
    script.optimizer(1, step);
    for (int i = 0; i < 5; ++i) script.optimizer(2, ++critic);
  }
  EXPECT_EQ(steps(script, MarkSource::Optimizer), counted_to(20));
}

TEST(OptimizerChoice, TheNextOneTakesOverFromOneThatFellSilent) {
  Script script;
  for (int step = 1; step <= 10; ++step) script.optimizer(1, step);
  for (int step = 1; step <= 100; ++step) script.optimizer(2, step);
  const auto found = steps(script, MarkSource::Optimizer);
  EXPECT_EQ(found, counted_to(static_cast<int>(found.size())));
  EXPECT_GT(found.size(), 90u);
}

TEST(TrainerChoice, CountsOnWhenTrainingBeginsAnew) {
  Script script;
  for (int i = 1; i <= 5; ++i) script.trainer(1, i);
  for (int i = 1; i <= 3; ++i) script.trainer(1, i);
  EXPECT_EQ(steps(script, MarkSource::Framework), counted_to(8));
}

TEST(TrainerChoice, OneThatStandsStillBetweenStepsCountsOnce) {
  Script script;
  for (int i = 1; i <= 12; ++i) script.trainer(3, i / 4);
  EXPECT_EQ(steps(script, MarkSource::Framework), counted_to(3));
}

TEST(TrainerChoice, TheOneThatDrivesAnotherCounts) {
  Script script;
  script.trainer(3, 1);
  for (int i = 1; i <= 5; ++i) script.trainer(1, i).trainer(3, 10 + i);
  EXPECT_EQ(steps(script, MarkSource::Framework), (std::vector<double>{1, 1, 2, 3, 4, 5}));
}

TEST(LoaderChoice, EpochsAreThePassesOfTheLoaderThatFeedsTraining) {
  Script script;
  script.pass(2, 1, 7).batch(2, 1).seen(7, 4, 50);  // a check before training
  for (int epoch = 1; epoch <= 3; ++epoch) {
    script.pass(1, epoch, 5);
    for (int i = 1; i <= 6; ++i) {
      script.batch(1, i).seen(5, std::min(100, (epoch - 1) * 30 + 5 * i), 100);
      script.optimizer(1, (epoch - 1) * 6 + i);
      // Evaluated more often than there are epochs.
      if (i % 2 == 0) script.pass(2, epoch * 3 + i / 2, 7).batch(2, 1).batch(2, 2).seen(7, 40, 50);
    }
  }
  const auto events = script.chosen();
  EXPECT_EQ(numbers(events, EventKind::Epoch, MarkSource::Loader), counted_to(3));
  for (const auto& event : events) {
    if (event.kind == EventKind::Distinct) {
      EXPECT_EQ(event.total, 100);
    }
  }
  EXPECT_EQ(numbers(events, EventKind::Distinct, MarkSource::Loader).back(), 90);
}

TEST(LoaderChoice, ATrainersEpochsSilenceThoseOfItsLoaders) {
  Script script;
  script.pass(2, 1, 7).batch(2, 1).batch(2, 2);
  script.add(EventKind::Epoch, MarkSource::Framework, 1, 1);
  script.pass(1, 1, 5).batch(1, 1).trainer(1, 1).pass(1, 2, 5).batch(1, 1).trainer(1, 2);
  const auto events = script.chosen();
  EXPECT_TRUE(numbers(events, EventKind::Epoch, MarkSource::Loader).empty());
  EXPECT_EQ(numbers(events, EventKind::Epoch, MarkSource::Framework), counted_to(1));
}

TEST(LoaderChoice, WithoutStepsTheBatchesCountOnOverPasses) {
  Script script;
  for (int pass = 1; pass <= 2; ++pass) {
    script.pass(1, pass, 5);
    for (int i = 1; i <= 20; ++i) script.batch(1, i).seen(5, i, 20);
  }
  const auto events = script.chosen();
  const auto found = numbers(events, EventKind::Step, MarkSource::Loader);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_EQ(found.back(), 40);
  EXPECT_EQ(numbers(events, EventKind::Epoch, MarkSource::Loader), counted_to(2));
  EXPECT_EQ(numbers(events, EventKind::Distinct, MarkSource::Loader).back(), 20);
}

TEST(LoaderChoice, OneThatIsMadeAnewForEachEpochIsFoundEachTime) {
  Script script;
  double step = 0;
  for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) {
    script.pass(epoch, 1, 5);
    for (int i = 1; i <= 10; ++i) script.batch(epoch, i).optimizer(1, ++step);
  }
  EXPECT_EQ(numbers(script.chosen(), EventKind::Epoch, MarkSource::Loader), counted_to(3));
}

TEST(DistinctChoice, AWorkerTellsOfItsOwnDataSetAtOnce) {
  Script script;
  script.pass(1, 1, 5).seen(5, 2, 100, kWorker).seen(5, 4, 100, kWorker);
  const auto events = script.chosen();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].process, kWorker);
}

TEST(MarkChoice, WhatAJobSaysItselfPassesAsItIs) {
  Script script;
  for (const double number : {5., 3., 3., 9.}) {
    script.add(EventKind::Step, MarkSource::Explicit, 0, number);
    script.add(EventKind::Epoch, MarkSource::Explicit, 0, number);
    script.add(EventKind::Distinct, MarkSource::Explicit, 0, number);
  }
  const auto events = script.chosen();
  ASSERT_EQ(events.size(), script.marks.size());
  for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i], script.marks[i].event);
}

TEST(MarkChoice, IsTheSameHoweverOftenWeLook) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& picks) {
    Script script;
    for (const auto pick : picks) {
      const auto which = static_cast<std::uint32_t>(1 + pick % 3);
      const double number = 1 + pick / 64 % 16;
      switch (pick / 4 % 5) {
        case 0:
          script.optimizer(which, number);
          break;
        case 1:
          script.trainer(which, number);
          break;
        case 2:
          script.pass(which, number, which);
          break;
        case 3:
          script.batch(which, number);
          break;
        default:
          script.seen(which, number, 16);
      }
    }
    const auto at_once = script.chosen();
    MarkChoice choice;
    std::vector<Event> one_by_one;
    for (const auto& mark : script.marks) {
      for (const auto& event : choice.choose({mark})) one_by_one.push_back(event);
    }
    RC_ASSERT(at_once == one_by_one);
    RC_ASSERT(std::is_sorted(at_once.begin(), at_once.end(),
                             [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; }));
    const auto optimizer = numbers(at_once, EventKind::Step, MarkSource::Optimizer);
    RC_ASSERT(std::is_sorted(optimizer.begin(), optimizer.end(), std::less_equal<>()));
    const auto epochs = numbers(at_once, EventKind::Epoch, MarkSource::Loader);
    RC_ASSERT(epochs == counted_to(static_cast<int>(epochs.size())));
  }));
}

}  // namespace
}  // namespace tidegauge::record
