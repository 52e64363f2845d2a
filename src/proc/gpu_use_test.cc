// SPDX-License-Identifier: Apache-2.0
#include "proc/gpu_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "proc/collector.h"
#include "proc/fake_driver.h"
#include "proc/fake_process.h"

namespace tidegauge::proc {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLibrary = 100 << 20;  // of address space

void open_in(const FakeProc& proc, pid_t pid, const std::string& fd, const std::string& path) {
  const auto folder = proc.path() + "/" + std::to_string(pid) + "/fd";
  std::filesystem::create_directories(folder);
  ASSERT_EQ(::symlink(path.c_str(), (folder + "/" + fd).c_str()), 0);
}

TEST(GpuUse, IsToldByOpenFiles) {
  FakeProc proc;
  open_in(proc, 10, "0", "/dev/null");
  open_in(proc, 10, "3", "/home/x/nvidia0");
  open_in(proc, 11, "0", "/dev/null");
  open_in(proc, 11, "7", "/dev/nvidiactl");
  open_in(proc, 12, "7", "/dev/dxg");
  const auto root = proc.root();
  EXPECT_FALSE(*has_gpu_open(*root, 10));
  EXPECT_TRUE(*has_gpu_open(*root, 11));
  EXPECT_TRUE(*has_gpu_open(*root, 12));
  EXPECT_EQ(has_gpu_open(*root, 13).error().reason, Reason::Gone);
}

TEST(GpuUse, IsAskedForWhenTheAddressSpaceIsLargerThanEver) {
  FakeProc proc;
  open_in(proc, 10, "0", "/dev/null");
  const auto root = proc.root();
  GpuUse use;
  EXPECT_TRUE(use.is_due(0, kLibrary)) << "it is new";
  EXPECT_FALSE(use.look(*root, 10, "", kLibrary, 0));
  // By then even a slow machine's look is paid for.
  EXPECT_FALSE(use.is_due(50 * kSecond, kLibrary));
  EXPECT_FALSE(use.is_due(50 * kSecond, kLibrary / 2));
  EXPECT_TRUE(use.is_due(50 * kSecond, 2 * kLibrary));
  EXPECT_FALSE(use.look(*root, 10, "", kLibrary / 2, 50 * kSecond));
  EXPECT_FALSE(use.is_due(100 * kSecond, kLibrary)) << "it was as large before";
  EXPECT_TRUE(use.is_due(4000 * kSecond, kLibrary)) << "now and then";
}

class MachineWithADriver : public ::testing::Test {
 protected:
  MachineWithADriver() {
    FakeProcess{.pid = 1, .parent = 0, .start_ticks = 1, .name = "init"}.put_into(proc_);
    proc_.file("meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
    open_in(proc_, 10, "0", "/dev/null");
    job_.put_into(proc_);
    driver_.add(kCompute, 0, 10, 5000);
    driver_.add(kCompute, 1, 99, 7);  // somebody else's
  }
  Collector collector() const {
    auto opened = Collector::open({10}, {.roots = {proc_.path(), sys_.path(), sys_.path()},
                                         .nvml = TIDEGAUGE_FAKE_NVML_NEW,
                                         .most_kept_files = 0});
    return *std::move(opened);
  }
  static record::Sample look(Collector& collector, std::int64_t at_ns) {
    return std::get<record::Sample>(collector.collect(at_ns).back());
  }
  FakeProc proc_;
  FakeProc sys_;
  FakeProcess job_{.pid = 10, .name = "python3", .command = "train.py"};
  Driver driver_;
};

TEST_F(MachineWithADriver, TheLibraryIsLoadedOnceSomebodyUsesAGpu) {
  auto watching = collector();
  const auto before = look(watching, 0);
  EXPECT_EQ(driver_.running(), 0) << "nobody of the tree uses a GPU";
  EXPECT_TRUE(before.gpus.empty());
  EXPECT_FALSE(before.processes.at(0).memory.gpu) << "absent, not zero";
  open_in(proc_, 10, "5", "/dev/nvidia0");
  job_.size_pages += kLibrary / 4096;
  job_.put_into(proc_);
  const auto after = look(watching, 50 * kSecond);
  EXPECT_EQ(driver_.running(), 1);
  EXPECT_EQ(after.gpus.size(), 2u);
  EXPECT_EQ(after.processes.at(0).memory.gpu, 5000u);
}

TEST_F(MachineWithADriver, AJobThatUsesItAlreadyIsKnownFromTheFirstLook) {
  open_in(proc_, 10, "5", "/dev/nvidia-uvm");
  auto watching = collector();
  EXPECT_EQ(look(watching, 0).processes.at(0).memory.gpu, 5000u);
}

TEST_F(MachineWithADriver, ALibraryWithoutADeviceIsTriedOnce) {
  driver_.devices(0, -1);
  open_in(proc_, 10, "5", "/dev/nvidiactl");
  auto watching = collector();
  EXPECT_TRUE(look(watching, 0).gpus.empty());
  driver_.devices(2, -1);
  EXPECT_TRUE(look(watching, 4000 * kSecond).gpus.empty());
  EXPECT_EQ(driver_.running(), 0);
}

}  // namespace
}  // namespace tidegauge::proc
