// SPDX-License-Identifier: Apache-2.0
#include "proc/machine.h"

#include <gtest/gtest.h>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr auto kMeminfo =
    "MemTotal:       24684100 kB\nMemFree:        22446100 kB\nMemAvailable:   23380408 kB\n"
    "Buffers:            1952 kB\nCached:            61076 kB\nSwapCached:            3 kB\n"
    "SwapTotal:       1048576 kB\nSwapFree:         524288 kB\nShmem:             12772 kB\n";

TEST(MachineReader, ReadsWhatTheKernelSays) {
  FakeProc proc;
  proc.file("meminfo", kMeminfo)
      .file("pressure/memory",
            "some avg10=1.50 avg60=0.40 avg300=0.00 total=12\n"
            "full avg10=0.25 avg60=0.00 avg300=0.00 total=3\n");
  auto reader = MachineReader::open({.proc = proc.path(), .dev_shm = proc.path()});
  ASSERT_TRUE(reader);
  const auto machine = reader->read();
  EXPECT_EQ(machine.total, 24684100ull * 1024);
  EXPECT_EQ(machine.available, 23380408ull * 1024);
  EXPECT_EQ(machine.free, 22446100ull * 1024);
  EXPECT_EQ(machine.cached, 61076u * 1024);
  EXPECT_EQ(machine.shmem, 12772u * 1024);
  EXPECT_EQ(machine.swap_total, 1u << 30);
  EXPECT_EQ(machine.swap_free, 1u << 29);
  EXPECT_EQ(machine.pressure_some, 1.5);
  EXPECT_EQ(machine.pressure_full, 0.25);
}

TEST(MachineReader, WhatTheKernelDoesNotSayIsEmpty) {
  FakeProc proc;
  proc.file("meminfo", "MemTotal: 100 kB\n");
  auto reader = MachineReader::open({.proc = proc.path(), .dev_shm = proc.path() + "/none"});
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read(), record::Machine{.total = 102400});
}

TEST(MachineReader, SeesChangesThroughTheFilesThatItKeepsOpen) {
  FakeProc proc;
  proc.file("meminfo", "MemTotal: 100 kB\nMemFree: 50 kB\n");
  auto reader = MachineReader::open({.proc = proc.path()});
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read().free, 50u * 1024);
  proc.file("meminfo", "MemTotal: 100 kB\nMemFree: 7 kB\n");
  EXPECT_EQ(reader->read().free, 7u * 1024);
}

TEST(MachineReader, AFolderOnADiskIsNoSharedMemory) {
  FakeProc proc;
  proc.file("meminfo", kMeminfo);
  auto reader = MachineReader::open({.proc = proc.path(), .dev_shm = "/proc"});
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->read().dev_shm_total);
}

TEST(MachineReader, NoMeminfoIsAnError) {
  const FakeProc proc;
  EXPECT_EQ(MachineReader::open({.proc = proc.path()}).error().reason, Reason::Gone);
}

TEST(MachineReader, ReadsThisMachine) {
  auto reader = MachineReader::open({});
  ASSERT_TRUE(reader);
  const auto machine = reader->read();
  ASSERT_TRUE(machine.total && machine.free && machine.available);
  EXPECT_GT(*machine.total, 64u << 20);
  EXPECT_LT(*machine.free, *machine.total);
  if (machine.dev_shm_total) {
    EXPECT_LE(*machine.dev_shm_used, *machine.dev_shm_total);
  }
}

}  // namespace
}  // namespace tidegauge::proc
