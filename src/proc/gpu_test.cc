// SPDX-License-Identifier: Apache-2.0
#include "proc/gpu.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "proc/fake_driver.h"
#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr auto kNotAvailable = ~0ull;

using ByPid = std::map<pid_t, std::uint64_t>;

TEST(GpuReader, ReadsDevicesAndProcesses) {
  const Driver driver;
  driver.add(kCompute, 0, 100, 5000);
  driver.add(kCompute, 1, 100, 300);  // on both devices
  driver.add(kCompute, 1, 200, 7);
  auto reader = GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW);
  ASSERT_TRUE(reader) << reader.error().what;
  const auto reading = reader->read();
  EXPECT_EQ(reading.devices,
            (std::vector<record::Gpu>{{0, 80ull << 30, 1ull << 30}, {1, 80ull << 30, 2ull << 30}}));
  EXPECT_EQ(reading.by_pid, (ByPid{{100, 5300}, {200, 7}}));
}

TEST(GpuReader, ComputeAndGraphicsListTheSameMemory) {
  const Driver driver;
  driver.add(kCompute, 0, 100, 5000);
  driver.add(kGraphics, 0, 100, 5000);
  driver.add(kGraphics, 0, 200, 9);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read().by_pid,
            (ByPid{{100, 5000}, {200, 9}}));
}

TEST(GpuReader, PartsOfADividedDeviceAddUp) {
  const Driver driver;
  driver.add(kCompute, 0, 100, 5000);
  driver.add(kCompute, 0, 100, 60);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read().by_pid, (ByPid{{100, 5060}}));
}

TEST(GpuReader, WhatTheDriverDoesNotTellIsNotZero) {
  const Driver driver;
  driver.add(kCompute, 0, 100, kNotAvailable);
  EXPECT_TRUE(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read().by_pid.empty());
}

TEST(GpuReader, FindsOutTheLayoutOfTheList) {
  for (const std::size_t bytes : {16u, 24u, 32u}) {
    for (const int clear : {0, 1}) {
      const Driver driver;
      driver.layout(bytes, clear);
      driver.add(kCompute, 0, 100, 5000);
      driver.add(kCompute, 0, 200, 6000);
      EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read().by_pid,
                (ByPid{{100, 5000}, {200, 6000}}))
          << bytes << " " << clear;
    }
  }
}

TEST(GpuReader, AsksAgainForALongList) {
  const Driver driver;
  for (pid_t pid = 1; pid <= 200; ++pid) driver.add(kCompute, 0, pid, 1);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read().by_pid.size(), 200u);
}

TEST(GpuReader, AnOldDriverHasOtherNames) {
  const Driver driver(TIDEGAUGE_FAKE_NVML_OLD);
  driver.add(kCompute, 0, 100, 5000);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_OLD)->read().by_pid, (ByPid{{100, 5000}}));
}

TEST(GpuReader, ADeviceThatIsLostCostsNoOther) {
  const Driver driver;
  driver.devices(2, 0);
  driver.add(kCompute, 1, 100, 5000);
  const auto reading = GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW)->read();
  ASSERT_EQ(reading.devices.size(), 1u);
  EXPECT_EQ(reading.devices[0].index, 1);
  EXPECT_EQ(reading.by_pid, (ByPid{{100, 5000}}));
}

TEST(GpuReader, SaysWhyThereIsNone) {
  EXPECT_EQ(GpuReader::load("libno-such-thing.so.1").error().reason, Reason::Unsupported);
  EXPECT_EQ(GpuReader::load("libm.so.6").error().reason, Reason::Unsupported);
  const Driver driver;
  driver.devices(0, -1);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW).error().reason, Reason::Unsupported);
  driver.fail_init(9);  // the driver is not loaded
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW).error().reason, Reason::Unsupported);
}

TEST(GpuReader, ShutsDownWhatItStarted) {
  const Driver driver;
  {
    auto reader = GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW);
    EXPECT_EQ(driver.running(), 1);
    auto moved = std::move(*reader);
    EXPECT_EQ(driver.running(), 1);
  }
  EXPECT_EQ(driver.running(), 0);
  driver.devices(0, -1);
  EXPECT_FALSE(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW));
  EXPECT_EQ(driver.running(), 0);
}

// In another pid namespace the driver may speak of the host's pids: only a process that has a GPU
// open can be meant.
TEST(GpuReader, InAPidNamespaceOnlyOnesThatHaveAGpuOpenAreMeant) {
  FakeProc proc;
  proc.file("self/ns/x", "");
  ASSERT_EQ(::symlink("pid:[4026532201]", (proc.path() + "/self/ns/pid").c_str()), 0);
  proc.file(100, "fd/x", "").file(200, "fd/x", "");
  ASSERT_EQ(::symlink("/dev/nvidia0", (proc.path() + "/100/fd/5").c_str()), 0);
  ASSERT_EQ(::symlink("/dev/null", (proc.path() + "/200/fd/5").c_str()), 0);
  const Driver driver;
  for (const pid_t pid : {100, 200, 300}) driver.add(kCompute, 0, pid, 1);
  EXPECT_EQ(GpuReader::load(TIDEGAUGE_FAKE_NVML_NEW, {.proc = proc.path()})->read().by_pid,
            (ByPid{{100, 1}}));
}

// With a GPU for real: nothing to compare with but ourselves, so only that it holds together.
TEST(GpuReader, ReadsThisMachine) {
  auto reader = GpuReader::load("libnvidia-ml.so.1");
  if (!reader) GTEST_SKIP() << reader.error().what;
  const auto reading = reader->read();
  ASSERT_FALSE(reading.devices.empty());
  for (const auto& gpu : reading.devices) {
    ASSERT_TRUE(gpu.total && gpu.used);
    EXPECT_LE(*gpu.used, *gpu.total);
    EXPECT_GT(*gpu.total, 256u << 20);
  }
}

}  // namespace
}  // namespace tidegauge::proc
