// SPDX-License-Identifier: Apache-2.0
#include "verdict/limits.h"

#include <gtest/gtest.h>

#include "verdict/fake_recording.h"

namespace tidegauge::verdict {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr record::ProcessId kJob{10, 1};

record::Sample sample(double at, std::uint64_t held, std::uint64_t limit, std::uint64_t file = 0) {
  record::Sample out{.at_ns = nanoseconds(at)};
  if (held > 0) {
    record::ProcessSample job{.id = kJob};
    job.memory.rss = job.memory.anon = held;
    out.processes.push_back(job);
  }
  out.cgroups.push_back({.path = "/job", .limit = limit, .current = held + file, .file = file});
  out.machine = record::Machine{.total = 32'000 * kMiB, .available = 32'000 * kMiB - held};
  return out;
}

TEST(Limits, TheLimitOfAGroupIsWhatTheJobMayComeTo) {
  Limits limits;
  limits.add(sample(0, 112 * kMiB, 300 * kMiB));
  const auto found = limits.binding({}, Kind::Total, 112.0 * kMiB);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "cgroup");
  EXPECT_EQ(found->bytes, 300.0 * kMiB);
}

// A series that knows no processes, only columns, has a machine all the same.
TEST(Limits, OfASeriesWithoutProcessesIsTheMachines) {
  auto series = sample(0, 0, 300 * kMiB);
  series.cgroups.clear();
  series.others.push_back({.name = "rss", .bytes = 100.0 * kMiB});
  Limits limits;
  limits.add(series);
  const auto found = limits.binding({}, Kind::Rss, 100.0 * kMiB);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, 32'100.0 * kMiB);
}

TEST(Limits, OneThatWasGivenIsNotTheGpus) {
  auto with_gpu = sample(0, 100 * kMiB, 300 * kMiB);
  with_gpu.gpus.push_back({.total = 80'000 * kMiB, .used = 50'000 * kMiB});
  Limits limits;
  const Rules rules{.limit_bytes = 1000.0 * kMiB};
  EXPECT_EQ(limits.binding(rules, Kind::Gpu, 100)->kind, "given") << "no other is known";
  limits.add(with_gpu);
  EXPECT_EQ(limits.binding(rules, Kind::Total, 100.0 * kMiB)->kind, "given");
  const auto found = limits.binding(rules, Kind::Gpu, 40'000.0 * kMiB);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "gpu");
  EXPECT_EQ(found->bytes, 70'000.0 * kMiB);
}

// As a CSV says it: what binds, but not what is charged.
record::Sample with_limit_of_a_file(double at, double held, std::uint64_t limit) {
  record::Sample out{.at_ns = nanoseconds(at)};
  out.others.push_back({.name = "rss", .bytes = held});
  out.cgroups.push_back({.path = "", .limit = limit});
  return out;
}

TEST(Limits, OneThatAFileNamesIsHeldAgainstItsSeries) {
  Limits limits;
  limits.add(with_limit_of_a_file(0, 100.0 * kMiB, 300 * kMiB));
  const auto found = limits.binding({}, Kind::Rss, 100.0 * kMiB);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "given");
  EXPECT_EQ(found->bytes, 300.0 * kMiB);
  EXPECT_EQ(limits.binding({.limit_bytes = 5}, Kind::Rss, 1)->bytes, 5) << "the user knows better";
  EXPECT_FALSE(limits.binding({}, Kind::Gpu, 100.0 * kMiB)) << "it is one of the machine's memory";
  auto on_a_small_machine = with_limit_of_a_file(1, 100.0 * kMiB, 300 * kMiB);
  on_a_small_machine.machine = record::Machine{.total = 150 * kMiB, .available = 50 * kMiB};
  limits.add(on_a_small_machine);
  EXPECT_EQ(limits.binding({}, Kind::Rss, 100.0 * kMiB)->kind, "ram") << "it is reached first";
}

TEST(Limits, OneThatAFileNamesAndThatWasPassedIsSaid) {
  record::Recording recording;
  for (int i = 0; i < 600; ++i) {
    const double held = (i < 400 ? 400.0 + i : 100.0) * kMiB;
    recording.entries.emplace_back(with_limit_of_a_file(i, held, 500 * kMiB));
  }
  EXPECT_TRUE(limit_passed(judge(recording, {}).all.front()));
  EXPECT_FALSE(limit_passed(judge(recording, {.limit_bytes = 900.0 * kMiB}).all.front()));
}

// Of processes, their sum counts.
TEST(Limits, OneThatAFileNamesIsHeldAgainstTheTree) {
  record::Recording recording;
  for (int i = 0; i < 100; ++i) {
    record::Sample sample{.at_ns = nanoseconds(i)};
    for (const auto id : {kJob, record::ProcessId{11, 1}}) {
      record::ProcessSample one{.id = id};
      one.memory.rss = one.memory.anon = 200 * kMiB;
      sample.processes.push_back(one);
    }
    sample.cgroups.push_back({.path = "", .limit = 300 * kMiB});
    recording.entries.emplace_back(std::move(sample));
  }
  const auto verdicts = judge(recording, {});
  EXPECT_TRUE(limit_passed(verdicts.all.front()));
  ASSERT_GT(verdicts.all.size(), 1u);
  EXPECT_FALSE(limit_passed(verdicts.all[1])) << "each of them fits";
}

TEST(Limits, WhatOthersInTheGroupHoldIsTakenOff) {
  Limits limits;
  auto shared = sample(0, 100 * kMiB, 300 * kMiB);
  shared.cgroups.front().current = 150 * kMiB;
  limits.add(shared);
  EXPECT_EQ(limits.binding({}, Kind::Total, 100.0 * kMiB)->bytes, 250.0 * kMiB);
}

TEST(Limits, FilesThatAreMappedDoNotCountTwice) {
  Limits limits;
  auto mapped = sample(0, 100 * kMiB, 300 * kMiB, 6 * kMiB);
  mapped.cgroups.front().current = 100 * kMiB;
  limits.add(mapped);
  EXPECT_EQ(limits.binding({}, Kind::Total, 100.0 * kMiB)->bytes, 300.0 * kMiB);
}

// A job that was killed leaves its group empty behind: what it held and the room that this made are
// not to be added up.
TEST(Limits, AJobThatIsGoneLeavesNoRoomBehind) {
  record::Recording recording;
  for (int i = 0; i < 60; ++i) {
    recording.entries.emplace_back(
        sample(i, (52 + static_cast<std::uint64_t>(i)) * kMiB, 300 * kMiB));
  }
  const auto alive = judge(recording, {}).all.front().limit_bytes;
  recording.entries.emplace_back(
      record::Event{.at_ns = nanoseconds(60), .kind = record::EventKind::Exited, .process = kJob});
  recording.entries.emplace_back(sample(60, 0, 300 * kMiB));
  EXPECT_EQ(judge(recording, {}).all.front().limit_bytes, alive);
  EXPECT_EQ(alive, 300.0 * kMiB);
}

// The same where a shell that started the job is left for a moment, or for longer.
TEST(Limits, AWrapperThatIsLeftDoesNotRaiseTheLimit) {
  const record::ProcessId shell{9, 1};
  for (const int tidying : {2, 60}) {
    record::Recording recording;
    recording.entries.emplace_back(
        record::Process{.id = shell, .name = "bash", .role = record::Role::Wrapper});
    const auto look = [&](double at, std::uint64_t job) {
      auto one = sample(at, job, 300 * kMiB);
      record::ProcessSample wrapper{.id = shell};
      wrapper.memory.rss = wrapper.memory.anon = 3 * kMiB;
      one.processes.push_back(wrapper);
      one.cgroups.front().current = job + 3 * kMiB;
      recording.entries.emplace_back(std::move(one));
    };
    for (int i = 0; i < 60; ++i) look(i, (52 + static_cast<std::uint64_t>(i)) * kMiB);
    for (int i = 0; i < tidying; ++i) look(60 + i, 0);
    EXPECT_EQ(judge(recording, {}).all.front().limit_bytes, 300.0 * kMiB) << tidying;
  }
}

}  // namespace
}  // namespace tidegauge::verdict
