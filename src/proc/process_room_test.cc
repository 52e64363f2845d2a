// SPDX-License-Identifier: Apache-2.0
#include "proc/process_room.h"

#include <gtest/gtest.h>

#include <string>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

class ProcessesLeft : public testing::Test {
 protected:
  void put(const std::string& path, const std::string& text) { fake_.file(path, text); }
  void group(const std::string& path, const std::string& most, const std::string& now) {
    put("sys/fs/cgroup" + path + "/pids.max", most + "\n");
    put("sys/fs/cgroup" + path + "/pids.current", now + "\n");
  }
  std::optional<std::uint64_t> left() const {
    return processes_left({.proc = fake_.path() + "/proc", .sys = fake_.path() + "/sys"});
  }
  void in_version_two() {
    put("proc/self/cgroup", "0::/pod/job\n");
    put("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  }

 private:
  FakeProc fake_;
};

TEST_F(ProcessesLeft, AreThoseOfTheGroupThatLeavesLeast) {
  in_version_two();
  group("/pod", "100", "88");
  group("/pod/job", "64", "4");
  EXPECT_EQ(left(), 12U);
  group("/pod", "max", "88");
  EXPECT_EQ(left(), 60U);
  group("/pod/job", "3", "4");
  EXPECT_EQ(left(), 0U) << "a limit may be lowered below what there is";
}

TEST_F(ProcessesLeft, AreFoundInVersionOne) {
  put("proc/self/cgroup", "8:pids:/pod\n0::/\n");
  put("proc/self/mountinfo", "31 24 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
  group("/pids/pod", "20", "5");
  EXPECT_EQ(left(), 15U);
}

TEST_F(ProcessesLeft, AreNotKnownWhereNothingLimitsThem) {
  EXPECT_EQ(left(), std::nullopt) << "no /proc";
  in_version_two();
  EXPECT_EQ(left(), std::nullopt) << "no files";
  group("/pod/job", "max", "4");
  EXPECT_EQ(left(), std::nullopt);
  group("/pod/job", "nonsense", "4");
  EXPECT_EQ(left(), std::nullopt);
}

}  // namespace
}  // namespace tidegauge::proc
