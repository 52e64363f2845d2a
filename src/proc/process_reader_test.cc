// SPDX-License-Identifier: Apache-2.0
#include "proc/process_reader.h"

#include <gtest/gtest.h>

#include "proc/fake_process.h"
#include "proc/puppet.h"

namespace tidegauge::proc {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTenth = kSecond / 10;

TEST(ProcessReader, AFullLookTellsAllCheapCounters) {
  FakeProc proc;
  const FakeProcess process{
      .pid = 7, .state = 'R', .threads = 3, .anon_kb = 800, .file_kb = 160, .shmem_kb = 40};
  process.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  const auto stat = reader.look(files, 0, 1);
  ASSERT_TRUE(stat);
  ASSERT_TRUE(*stat);
  EXPECT_EQ((*stat)->name, "job");
  const auto& memory = reader.last().memory;
  EXPECT_EQ(memory.rss, 1000u << 10);
  EXPECT_EQ(memory.anon, 800u << 10);
  EXPECT_EQ(memory.file, 160u << 10);
  EXPECT_EQ(memory.shmem, 40u << 10);
  EXPECT_EQ(memory.page_tables, 8u << 10);
  EXPECT_EQ(memory.swap, 0u);
  EXPECT_FALSE(memory.pss);
  EXPECT_EQ(reader.last().activity.state, 'R');
  EXPECT_EQ(reader.last().activity.threads, 3u);
  EXPECT_EQ(reader.last().activity.minor_faults, 10u);
  EXPECT_EQ(reader.last().activity.major_faults, 2u);
}

TEST(ProcessReader, BetweenFullLooksItReadsOneSmallFile) {
  FakeProc proc;
  FakeProcess process{.pid = 7};
  process.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  ASSERT_TRUE(*reader.look(files, 0, 0.1));
  process.anon_kb = 5000;
  proc.file(7, "statm", process.statm());  // and nothing else has changed yet
  const auto stat = reader.look(files, kTenth, 0.1);
  ASSERT_TRUE(stat);
  EXPECT_FALSE(*stat);
  EXPECT_EQ(reader.last().memory.anon, 5000u << 10);
  EXPECT_EQ(reader.last().memory.rss, 5400u << 10);
  EXPECT_EQ(reader.last().memory.file, 400u << 10);
  EXPECT_EQ(reader.last().memory.peak_rss, 5400u << 10);
  process.put_into(proc);
  ASSERT_TRUE(*reader.look(files, kSecond, 0.1));
}

TEST(ProcessReader, WhenSharedPagesMoveItFindsOutWhichThoseAre) {
  FakeProc proc;
  FakeProcess process{.pid = 7};
  process.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  ASSERT_TRUE(*reader.look(files, 0, 0.1));
  process.shmem_kb = 8000;
  process.put_into(proc);
  ASSERT_TRUE(reader.look(files, kTenth, 0.1));
  EXPECT_EQ(reader.last().memory.shmem, 8000u << 10);
  EXPECT_EQ(reader.last().memory.file, 400u << 10);
}

TEST(ProcessReader, AQuietProcessIsLookedAtOnceASecond) {
  FakeProc proc;
  FakeProcess process{.pid = 7};
  process.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  std::int64_t now = 0;
  for (; now < 7 * kSecond + 3 * kTenth; now += kTenth) ASSERT_TRUE(reader.look(files, now, 0.1));
  process.anon_kb = 9000;
  process.put_into(proc);
  int looks = 0;
  for (; reader.last().memory.anon == 1000u << 10 && looks < 20; now += kTenth, ++looks) {
    ASSERT_TRUE(reader.look(files, now, 0.1));
  }
  EXPECT_GE(looks, 2);   // it had been quiet
  EXPECT_LE(looks, 11);  // but not for longer than a second
  process.anon_kb = 9500;
  process.put_into(proc);
  ASSERT_TRUE(reader.look(files, now, 0.1));
  EXPECT_EQ(reader.last().memory.anon, 9500u << 10);  // now it is read at every look again
}

struct Waited {
  int looks = 0;
  int full = 0;
};

// Once a second, until it has heard of `threads`.
Waited wait_for_threads(ProcessReader& reader, Files& files, std::int64_t& now,
                        std::uint64_t threads) {
  Waited waited;
  for (; reader.last().activity.threads != threads && waited.looks < 50; now += kSecond) {
    const auto stat = reader.look(files, now, 1);
    if (!stat) return waited;
    waited.full += *stat ? 1 : 0;
    ++waited.looks;
  }
  return waited;
}

TEST(ProcessReader, WhileAProcessStaysAsItIsTheRestIsReadRarely) {
  FakeProc proc;
  FakeProcess process{.pid = 7};
  process.put_into(proc);
  Files files(*proc.root(), 10);
  ProcessReader reader({7, 100});
  std::int64_t now = 0;
  for (; now < 4 * kSecond; now += kSecond) ASSERT_TRUE(reader.look(files, now, 1));
  process.threads = 9;
  proc.file(7, "stat", process.stat());  // and the memory is as it was
  EXPECT_LE(wait_for_threads(reader, files, now, 9).looks, 10);
  for (const auto until = now + 60 * kSecond; now < until; now += kSecond) {
    ASSERT_TRUE(reader.look(files, now, 1));
  }
  process.threads = 11;
  proc.file(7, "stat", process.stat());
  const auto waited = wait_for_threads(reader, files, now, 11);
  EXPECT_LE(waited.looks, 20);
  EXPECT_EQ(waited.full, 1);
  process.threads = 12;
  proc.file(7, "stat", process.stat());
  EXPECT_LE(wait_for_threads(reader, files, now, 12).looks, 5);  // it does something again
}

TEST(ProcessReader, OfAProcessThatMovesAllIsReadAtOnce) {
  FakeProc proc;
  FakeProcess process{.pid = 7};
  process.put_into(proc);
  Files files(*proc.root(), 10);
  ProcessReader reader({7, 100});
  std::int64_t now = 0;
  for (; now < 8 * kSecond; now += kSecond) ASSERT_TRUE(reader.look(files, now, 1));
  process.anon_kb += 4;
  process.threads = 10;
  process.put_into(proc);
  ASSERT_TRUE(*reader.look(files, now, 1));
  EXPECT_EQ(reader.last().activity.threads, 10u);
  process.name = "other";
  proc.file(7, "stat", process.stat());
  const auto stat = reader.look(files, now + kSecond, 1);
  ASSERT_TRUE(*stat);  // and again a second later
  EXPECT_EQ((*stat)->name, "other");
}

TEST(ProcessReader, WithoutAKeptFileEveryLookMakesSureWhoseCountersTheseAre) {
  FakeProc proc;
  FakeProcess{.pid = 7}.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  for (std::int64_t now = 0; now < 10 * kSecond; now += kSecond) {
    ASSERT_TRUE(*reader.look(files, now, 1));
  }
}

TEST(ProcessReader, AnotherProcessOfTheSamePidIsNotIt) {
  FakeProc proc;
  FakeProcess{.pid = 7, .start_ticks = 100}.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  ASSERT_TRUE(reader.look(files, 0, 1));
  FakeProcess{.pid = 7, .start_ticks = 101}.put_into(proc);
  const auto stat = reader.look(files, kSecond, 1);
  ASSERT_FALSE(stat);
  EXPECT_EQ(stat.error().reason, Reason::Gone);
  EXPECT_EQ(reader.last().id, (record::ProcessId{7, 100}));
}

TEST(ProcessReader, WhatWasKnownStandsWhileAProcessIsEnding) {
  FakeProc proc;
  FakeProcess{.pid = 7}.put_into(proc);
  Files files(*proc.root(), 0);
  ProcessReader reader({7, 100});
  ASSERT_TRUE(reader.look(files, 0, 0.1));
  proc.file(7, "statm", "0 0 0 0 0 0 0\n");
  ASSERT_TRUE(reader.look(files, kTenth, 0.1));
  EXPECT_EQ(reader.last().memory.rss, 1400u << 10);
}

TEST(ProcessReader, ReadsThroughAnotherThreadWhereTheFirstHasEnded) {
  Puppet puppet;
  ASSERT_EQ(puppet.tell("grow 8000000"), "done");
  ASSERT_EQ(puppet.tell("leave"), "done");
  const auto root = *Root::open("/proc");
  auto stat = parse_stat(*root.read(puppet.pid(), "stat"));
  // Who has joined a thread knows that it is leaving; the kernel says so a moment later.
  for (; stat && stat->state != 'Z'; stat = parse_stat(*root.read(puppet.pid(), "stat"))) {
    ::sched_yield();
  }
  ASSERT_TRUE(stat);
  Files files(*Root::open("/proc"), 10);
  ProcessReader reader(stat->id);
  ASSERT_TRUE(reader.look(files, 0, 0.1));
  EXPECT_GE(reader.last().memory.anon.value_or(0), 8000000u);
  EXPECT_NE(reader.last().activity.state, 'Z');
  ASSERT_EQ(puppet.tell("grow 16000000"), "done");
  ASSERT_TRUE(reader.look(files, kTenth, 0.1));  // a quick look too
  EXPECT_GE(reader.last().memory.anon.value_or(0), 24000000u);
}

}  // namespace
}  // namespace tidegauge::proc
