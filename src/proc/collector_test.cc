// SPDX-License-Identifier: Apache-2.0
#include "proc/collector.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>

#include "proc/fake_process.h"

namespace tidegauge::proc {
namespace {

using record::EventKind;
constexpr std::int64_t kSecond = 1'000'000'000;

std::vector<record::Event> events_in(const std::vector<record::Entry>& entries) {
  std::vector<record::Event> events;
  for (const auto& entry : entries) {
    if (const auto* event = std::get_if<record::Event>(&entry)) events.push_back(*event);
  }
  return events;
}
std::vector<record::Process> processes_in(const std::vector<record::Entry>& entries) {
  std::vector<record::Process> processes;
  for (const auto& entry : entries) {
    if (const auto* process = std::get_if<record::Process>(&entry)) processes.push_back(*process);
  }
  return processes;
}
const record::Sample& sample_in(const std::vector<record::Entry>& entries) {
  return std::get<record::Sample>(entries.back());
}

class FakeMachine : public ::testing::Test {
 protected:
  FakeMachine() {
    FakeProcess{.pid = 1, .parent = 0, .start_ticks = 1, .name = "init"}.put_into(proc_);
    FakeProcess{.pid = 10, .name = "python3", .command = "train.py"}.put_into(proc_);
    proc_.file("meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
  }
  CollectOptions options() const {
    // Files of a folder do not notice that their process has ended, so none is kept.
    return {.roots = {proc_.path(), sys_.path(), sys_.path()}, .gpu = false, .most_kept_files = 0};
  }
  FakeProc proc_;
  FakeProc sys_;
};

TEST_F(FakeMachine, WhatAChildHasBeforeItRunsIsItsParents) {
  FakeProcess child{.pid = 11, .parent = 10, .anon_kb = 900'000, .faults = 0};
  child.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector) << collector.error().what;
  const auto first = sample_in(collector->collect(0));
  ASSERT_EQ(first.processes.size(), 2u);
  EXPECT_FALSE(first.processes[1].memory.anon) << "it is there, and holds nothing yet";
  child.faults = 40;
  child.anon_kb = 60;
  child.put_into(proc_);
  EXPECT_EQ(sample_in(collector->collect(2 * kSecond)).processes[1].memory.anon, 60u << 10);
}

TEST_F(FakeMachine, ACommandLineThatWasNotThereYetIsReadAtTheNextLook) {
  constexpr pid_t kFirst = 11, kLast = 60;  // more than are asked for their counts in one look
  for (pid_t pid = kFirst; pid <= kLast; ++pid) {
    FakeProcess{.pid = pid, .parent = 10, .state = pid % 2 == 0 ? 'D' : 'R'}.put_into(proc_);
    proc_.file(pid, "cmdline", "");  // in the middle of an exec
  }
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector) << collector.error().what;
  for (const auto& process : processes_in(collector->collect(0))) {
    EXPECT_EQ(process.command, process.id.pid == 10 ? "train.py" : "");
  }
  for (pid_t pid = kFirst; pid <= kLast; ++pid)
    FakeProcess{.pid = pid, .parent = 10}.put_into(proc_);
  const auto told = processes_in(collector->collect(kSecond));
  EXPECT_EQ(told.size(), static_cast<std::size_t>(kLast - kFirst + 1));
  for (const auto& process : told) EXPECT_EQ(process.command, "job");
  EXPECT_TRUE(processes_in(collector->collect(2 * kSecond)).empty()) << "and not again";
}

TEST_F(FakeMachine, HowOurOwnChildEndedIsWhatWeWereTold) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector) << collector.error().what;
  collector->collect(0);
  proc_.exit(10);  // it was waited for, so nothing is left to be asked
  collector->told_end(10, 3);
  collector->look_at_all_next();
  const auto events = events_in(collector->collect(kSecond));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::Exited);
  EXPECT_EQ(events[0].value, 3);
}

TEST_F(FakeMachine, ProcessesComeBeforeEventsAndTheSampleLast) {
  FakeProcess{.pid = 11, .parent = 10, .anon_kb = 50}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector) << collector.error().what;
  const auto& entries = collector->collect(0);
  ASSERT_EQ(entries.size(), 5u);
  for (const std::size_t i : {0u, 1u}) EXPECT_TRUE(std::get_if<record::Process>(&entries[i]));
  for (const std::size_t i : {2u, 3u}) {
    ASSERT_TRUE(std::get_if<record::Event>(&entries[i]));
    EXPECT_EQ(std::get<record::Event>(entries[i]).kind, EventKind::Started);
  }
  const auto& sample = sample_in(entries);
  ASSERT_EQ(sample.processes.size(), 2u);
  EXPECT_EQ(sample.processes[0].id, (record::ProcessId{10, 100}));
  EXPECT_EQ(sample.processes[1].memory.anon, 50u << 10);
  ASSERT_TRUE(sample.machine);
  EXPECT_EQ(sample.machine->available, 600u << 10);
  EXPECT_EQ(collector->collect(kSecond).size(), 1u);  // nothing is new
}

TEST_F(FakeMachine, SaysWhoAProcessIs) {
  FakeProcess{.pid = 11, .parent = 10, .start_ticks = 120, .name = "sleep", .command = "sleep"}
      .put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  const auto processes = processes_in(collector->collect(7));
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].name, "python3");
  EXPECT_EQ(processes[0].command, "train.py");
  EXPECT_EQ(processes[0].parent, (record::ProcessId{1, 1}));
  EXPECT_EQ(processes[1].parent, (record::ProcessId{10, 100}));
  EXPECT_EQ(processes[1].at_ns, 7);
}

TEST_F(FakeMachine, NoticesExec) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  // The same name and the same arguments, but another image.
  FakeProcess{.pid = 10, .name = "python3", .command = "train.py", .image = {4096, 9999}}.put_into(
      proc_);
  const auto events = events_in(collector->collect(kSecond));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::Exec);
  EXPECT_EQ(events[0].process, (record::ProcessId{10, 100}));
}

TEST_F(FakeMachine, NoticesExecOfOthersByNameAndArguments) {
  FakeProcess{.pid = 10, .name = "sh", .command = "sh", .image = {}}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  FakeProcess{.pid = 10, .name = "python3", .command = "x.py", .image = {}}.put_into(proc_);
  const auto& entries = collector->collect(kSecond);
  ASSERT_EQ(events_in(entries).size(), 1u);
  EXPECT_EQ(events_in(entries)[0].kind, EventKind::Exec);
  ASSERT_EQ(processes_in(entries).size(), 1u);
  EXPECT_EQ(processes_in(entries)[0].command, "x.py");
}

TEST_F(FakeMachine, AnotherNameAloneIsNoExec) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  FakeProcess{.pid = 10, .name = "a) Z 1 (b", .command = "train.py"}.put_into(proc_);
  const auto& entries = collector->collect(kSecond);
  EXPECT_TRUE(events_in(entries).empty());
  ASSERT_EQ(processes_in(entries).size(), 1u);
  EXPECT_EQ(processes_in(entries)[0].name, "a) Z 1 (b");
}

TEST_F(FakeMachine, NoticesExitsAndHowTheyEnded) {
  for (const pid_t pid : {11, 12, 13, 14}) FakeProcess{.pid = pid, .parent = 10}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  FakeProcess{.pid = 11, .parent = 10, .state = 'Z', .wait_status = 9}.put_into(proc_);
  FakeProcess{.pid = 12, .parent = 10, .state = 'Z', .wait_status = 3 << 8}.put_into(proc_);
  FakeProcess{.pid = 13, .parent = 10, .state = 'Z', .wait_status = 0}.put_into(proc_);
  proc_.exit(14);
  const auto& entries = collector->collect(kSecond);
  const auto events = events_in(entries);
  ASSERT_EQ(events.size(), 4u);
  for (const auto& event : events) EXPECT_EQ(event.kind, EventKind::Exited);
  EXPECT_EQ(events[0].value, 137);
  EXPECT_EQ(events[1].value, 3);
  EXPECT_EQ(events[2].value, 0);
  EXPECT_FALSE(events[3].value);
  EXPECT_EQ(sample_in(entries).processes.size(), 1u);
  EXPECT_TRUE(events_in(collector->collect(2 * kSecond)).empty());  // not again while it is there
}

TEST_F(FakeMachine, AReusedPidIsAnExitAndAStart) {
  FakeProcess{.pid = 11, .parent = 10, .start_ticks = 110}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  FakeProcess{.pid = 11, .parent = 10, .start_ticks = 990, .anon_kb = 7}.put_into(proc_);
  std::vector<record::Event> events;
  for (int look = 1; look <= 2; ++look) {
    for (const auto& event : events_in(collector->collect(look * kSecond))) events.push_back(event);
  }
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::Exited);
  EXPECT_EQ(events[0].process, (record::ProcessId{11, 110}));
  EXPECT_EQ(events[1].kind, EventKind::Started);
  EXPECT_EQ(events[1].process, (record::ProcessId{11, 990}));
}

TEST_F(FakeMachine, WhoCameAndWentBetweenTwoLooksIsNotMentioned) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  FakeProcess{.pid = 11, .parent = 10, .state = 'Z'}.put_into(proc_);
  EXPECT_EQ(collector->collect(kSecond).size(), 1u);
}

TEST_F(FakeMachine, SaysWhenNothingIsLeft) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  EXPECT_FALSE(collector->all_gone());
  collector->collect(0);
  proc_.exit(10);
  const auto& entries = collector->collect(kSecond);
  EXPECT_TRUE(collector->all_gone());
  EXPECT_TRUE(sample_in(entries).processes.empty());
  collector->collect(2 * kSecond);  // and goes on saying it
  EXPECT_TRUE(collector->all_gone());
}

TEST_F(FakeMachine, DoesNotAskAProcessThatWaitsForADiskForMoreThanCounters) {
  FakeProcess{.pid = 10, .name = "python3", .command = "train.py", .state = 'D'}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  EXPECT_EQ(processes_in(collector->collect(0)).at(0).command, "");
  EXPECT_TRUE(processes_in(collector->collect(kSecond)).empty()) << "it still waits";
  FakeProcess{.pid = 10, .name = "python3", .command = "train.py", .state = 'S'}.put_into(proc_);
  EXPECT_EQ(processes_in(collector->collect(2 * kSecond)).at(0).command, "train.py");
}

TEST_F(FakeMachine, TakesAnotherTreeWhileItWatches) {
  FakeProcess{.pid = 20}.put_into(proc_);
  FakeProcess{.pid = 21, .parent = 20}.put_into(proc_);
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  ASSERT_TRUE(collector->add_root(20));
  EXPECT_EQ(sample_in(collector->collect(kSecond)).processes.size(), 3u);
  ASSERT_TRUE(collector->add_root(21));  // is in already
  EXPECT_EQ(sample_in(collector->collect(2 * kSecond)).processes.size(), 3u);
}

TEST_F(FakeMachine, AGapIsAnEvent) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  collector->collect(0);
  EXPECT_TRUE(events_in(collector->collect(kSecond)).empty());
  const auto events = events_in(collector->collect(60 * kSecond));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, EventKind::Gap);
  EXPECT_EQ(events[0].value, 59);
}

TEST_F(FakeMachine, AMissingProcessIsGoneByNumber) {
  const auto collector = Collector::open({4711}, options());
  ASSERT_FALSE(collector);
  EXPECT_EQ(collector.error().reason, Reason::Gone);
  EXPECT_NE(collector.error().what.find("4711"), std::string::npos);
  EXPECT_FALSE(Collector::open({}, options()));
}

TEST_F(FakeMachine, ASampleHoldsTheLastKnownCountersOfEveryMember) {
  for (pid_t pid = 11; pid < 20; ++pid) FakeProcess{.pid = pid, .parent = 10}.put_into(proc_);
  auto asked = options();
  asked.interval_seconds = 0.1;
  auto collector = Collector::open({10}, asked);
  ASSERT_TRUE(collector);
  for (std::int64_t now = 0; now < 8 * kSecond; now += kSecond / 10) {
    const auto& sample = sample_in(collector->collect(now));
    ASSERT_EQ(sample.processes.size(), 10u);
    for (const auto& process : sample.processes) {
      ASSERT_EQ(process.memory.rss, 1400u << 10);
      ASSERT_EQ(process.memory.swap, 0u);
    }
  }
}

TEST_F(FakeMachine, TheHeaderSaysWhatNumbersMean) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  const auto header = collector->header("tidegauge 1", "train.py");
  EXPECT_EQ(header.command, "train.py");
  EXPECT_EQ(header.interval_seconds, 1);
  EXPECT_GT(header.page_bytes, 0u);
  EXPECT_GT(header.started_unix_ns, 1'600'000'000ll * kSecond);
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

// The watcher watched: whoever comes and goes, it holds no more than before.
TEST_F(FakeMachine, ThousandsOfLooksLeaveNothingBehind) {
  auto collector = Collector::open({10}, options());
  ASSERT_TRUE(collector);
  std::size_t heap = 0, descriptors = 0;
  for (int look = 0; look < 4000; ++look) {
    // A child in every fourth look, each with a pid and a name of its own, for twelve looks.
    if (look % 4 == 0) {
      FakeProcess{.pid = 100 + look,
                  .parent = 10,
                  .start_ticks = static_cast<std::uint64_t>(1000 + look),
                  .name = "child" + std::to_string(look),
                  .command = std::string(200, 'x') + std::to_string(look)}
          .put_into(proc_);
      proc_.exit(100 + look - 12);
    }
    collector->collect(look * kSecond);
    collector->take_warnings();
    if (look == 500) {
      heap = ::mallinfo2().uordblks;
      descriptors = open_descriptors();
    }
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_LT(::mallinfo2().uordblks, heap + 64 * 1024);
}

}  // namespace
}  // namespace tidegauge::proc
