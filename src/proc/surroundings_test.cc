// SPDX-License-Identifier: Apache-2.0
#include "proc/surroundings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class FakeCgroup : public ::testing::Test {
 protected:
  FakeCgroup() {
    proc_.file("meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\n");
    const auto mount = sys_.path() + "/fs/cgroup";
    const auto mounts = "30 23 0:26 / " + mount + " rw - cgroup2 cgroup2 rw\n";
    proc_.file("self/mountinfo", mounts).file(7, "cgroup", "0::/job\n");
    sys_.file("fs/cgroup/job/memory.current", "5000\n").file("fs/cgroup/job/memory.max", "9000\n");
    sys_.file("fs/cgroup/job/memory.stat", "anon 4000\nfile 100\n");
    sys_.file("fs/cgroup/job/cgroup.procs", "7\n");
    kills(0);
  }
  void kills(int count) {
    sys_.file("fs/cgroup/job/memory.events",
              "low 0\nhigh 0\nmax 0\noom 0\noom_kill " + std::to_string(count) + "\n");
  }
  CollectOptions options() const {
    return {.roots = {proc_.path(), sys_.path(), sys_.path()}, .gpu = false};
  }
  FakeProc proc_;
  FakeProc sys_;
};

TEST_F(FakeCgroup, AKillIsAnEventOnce) {
  auto surroundings = Surroundings::of_process(options(), 7);
  ASSERT_TRUE(surroundings.missing().empty()) << surroundings.missing().front();
  const std::vector<pid_t> members{7};
  surroundings.look(0, members, true);
  record::Sample sample;
  surroundings.put_into(sample);
  ASSERT_FALSE(sample.cgroups.empty());
  EXPECT_EQ(sample.cgroups[0].limit, 9000u);
  EXPECT_TRUE(surroundings.take_oom_kills(0).empty());
  kills(2);
  surroundings.look(kSecond, members, false);
  const auto events = surroundings.take_oom_kills(kSecond);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, record::EventKind::OomKill);
  EXPECT_EQ(events[0].value, 2);
  EXPECT_EQ(events[0].name, sample.cgroups[0].path);
  surroundings.look(2 * kSecond, members, false);
  EXPECT_TRUE(surroundings.take_oom_kills(2 * kSecond).empty());
}

TEST_F(FakeCgroup, IsTheJobsAloneWhenNobodyElseIsInIt) {
  auto surroundings = Surroundings::of_process(options(), 7);
  const std::vector<pid_t> members{7};
  surroundings.look(0, members, true);
  record::Sample sample;
  surroundings.put_into(sample);
  EXPECT_TRUE(sample.cgroups.at(0).exclusive);
  sys_.file("fs/cgroup/job/cgroup.procs", "7\n8\n");
  surroundings.look(kSecond, members, true);
  surroundings.put_into(sample);
  EXPECT_FALSE(sample.cgroups.at(0).exclusive);
}

TEST_F(FakeCgroup, FollowsAnotherMemberWhenTheFirstHasEnded) {
  auto surroundings = Surroundings::of_process(options(), 7);
  surroundings.look(0, std::vector<pid_t>{7, 8}, true);
  proc_.file(7, "cgroup", "0::/\n").file(8, "cgroup", "0::/job\n");
  surroundings.look(kSecond, std::vector<pid_t>{8}, true);
  record::Sample sample;
  surroundings.put_into(sample);
  ASSERT_FALSE(sample.cgroups.empty());
  EXPECT_EQ(sample.cgroups[0].path, "/job");
}

TEST_F(FakeCgroup, KillsFromBeforeWeLookedAreNoNews) {
  kills(5);
  auto surroundings = Surroundings::of_process(options(), 7);
  surroundings.look(0, {}, true);
  EXPECT_TRUE(surroundings.take_oom_kills(0).empty());
}

TEST(Surroundings, SayWhatIsMissing) {
  FakeProc empty;
  const auto surroundings = Surroundings::of_process(
      {.roots = {empty.path(), empty.path(), empty.path()}, .gpu = false}, 7);
  ASSERT_FALSE(surroundings.missing().empty());
  EXPECT_NE(surroundings.missing()[0].find("machine"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::proc
