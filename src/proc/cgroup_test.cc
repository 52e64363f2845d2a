// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup.h"

#include <gtest/gtest.h>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr pid_t kPid = 812;
constexpr auto kNoLimit = "9223372036854771712\n";

constexpr auto kHybridMounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:12 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr auto kUnifiedMounts =
    "23 22 0:21 / /sys rw,nosuid - sysfs sysfs rw\n"
    "35 23 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";

// A machine of folders.
struct Machine {
  FakeProc proc;
  FakeProc sys;

  Roots roots() const { return {.proc = proc.path(), .sys = sys.path()}; }
  Result<CgroupReader> open() const { return CgroupReader::open(roots(), kPid); }

  void group_v1(const std::string& path, const std::string& limit, const std::string& usage,
                const std::string& pids = "") {
    const auto folder = "fs/cgroup/memory" + path + "/";
    sys.file(folder + "memory.limit_in_bytes", limit)
        .file(folder + "memory.usage_in_bytes", usage)
        .file(folder + "memory.kmem.usage_in_bytes", "4096\n")
        .file(folder + "memory.use_hierarchy", "1\n")
        .file(folder + "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
        .file(folder + "memory.stat",
              "cache 1\nrss 2\nshmem 1\nswap 0\ntotal_cache 7000\ntotal_rss 5000\n"
              "total_shmem 2000\ntotal_swap 300\n")
        .file(folder + "cgroup.procs", pids);
  }

  void group_v2(const std::string& path, const std::string& limit, const std::string& high,
                const std::string& pids = "") {
    const auto folder = "fs/cgroup" + path + "/";
    sys.file(folder + "memory.max", limit)
        .file(folder + "memory.high", high)
        .file(folder + "memory.current", "12000\n")
        .file(folder + "memory.swap.current", "400\n")
        .file(folder + "memory.stat", "anon 5000\nfile 6000\nkernel 800\nshmem 1000\n")
        .file(folder + "memory.events", "low 0\nhigh 1\nmax 8\noom 2\noom_kill 1\n")
        .file(folder + "cgroup.procs", pids);
  }
};

TEST(CgroupReader, HybridHasItsMemoryInVersionOne) {
  Machine machine;
  machine.proc.file("self/mountinfo", kHybridMounts)
      .file(kPid, "cgroup", "4:memory:/pod/job\n0::/pod\n");
  machine.group_v1("", kNoLimit, "90000\n");
  machine.group_v1("/pod", "1000000\n", "20000\n");
  machine.group_v1("/pod/job", kNoLimit, "12000\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader) << reader.error().what;

  const auto groups = reader->read();
  ASSERT_EQ(groups.size(), 2u);  // the root has no limit
  const record::Cgroup own{.version = 1,
                           .path = "/pod/job",
                           .current = 12000,
                           .swap = 300,
                           .anon = 5000,
                           .file = 5000,
                           .shmem = 2000,
                           .kernel = 4096,
                           .oom_kill = 3};
  EXPECT_EQ(groups[0], own);
  EXPECT_EQ(groups[1].path, "/pod");
  EXPECT_EQ(groups[1].limit, 1000000u);
}

TEST(CgroupReader, ReadsVersionTwo) {
  Machine machine;
  machine.proc.file("self/mountinfo", kUnifiedMounts).file(kPid, "cgroup", "0::/a.slice/b.scope\n");
  machine.sys.file("fs/cgroup/cgroup.procs", "").file("fs/cgroup/memory.stat", "anon 1\n");
  machine.group_v2("/a.slice", "max\n", "900000\n");
  machine.group_v2("/a.slice/b.scope", "50000\n", "max\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader) << reader.error().what;

  const auto groups = reader->read();
  ASSERT_EQ(groups.size(), 2u);  // the root has no memory.current
  const record::Cgroup own{.version = 2,
                           .path = "/a.slice/b.scope",
                           .limit = 50000,
                           .current = 12000,
                           .swap = 400,
                           .anon = 5000,
                           .file = 5000,
                           .shmem = 1000,
                           .kernel = 800,
                           .oom = 2,
                           .oom_kill = 1};
  EXPECT_EQ(groups[0], own);
  EXPECT_FALSE(groups[1].limit);
  EXPECT_EQ(groups[1].high, 900000u);
}

TEST(CgroupReader, AGroupWithoutTheControllerIsCountedInTheOneAbove) {
  Machine machine;
  machine.proc.file("self/mountinfo", kUnifiedMounts).file(kPid, "cgroup", "0::/a/b/c\n");
  machine.sys.file("fs/cgroup/a/b/c/cgroup.procs", "812\n").file("fs/cgroup/a/b/cgroup.procs", "");
  machine.group_v2("/a", "max\n", "max\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  const auto groups = reader->read();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].path, "/a");
  EXPECT_TRUE(reader->holds_only(std::vector<pid_t>{812}));
}

TEST(CgroupReader, AContainerWithANamespaceIsTheRoot) {
  Machine machine;
  machine.proc.file("self/mountinfo", kUnifiedMounts).file(kPid, "cgroup", "0::/\n");
  machine.group_v2("", "50000\n", "max\n", "1\n812\n");  // seen from inside it has its files
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  const auto groups = reader->read();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].path, "/");
  EXPECT_EQ(groups[0].limit, 50000u);
}

TEST(CgroupReader, AContainerWithoutANamespaceMountsItsOwnGroup) {
  Machine machine;
  machine.proc
      .file("self/mountinfo",
            "35 31 0:32 /docker/4a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
      .file(kPid, "cgroup", "4:memory:/docker/4a\n");
  machine.group_v1("", "70000\n", "12000\n", "812\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read().at(0).limit, 70000u);
}

TEST(CgroupReader, AStrangeMountCountsOnlyIfTheProcessIsInIt) {
  Machine machine;
  machine.proc
      .file("self/mountinfo", "35 31 0:32 /x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
      .file(kPid, "cgroup", "4:memory:/y\n");
  machine.group_v1("", "70000\n", "12000\n", "7\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->read().empty());
  machine.sys.file("fs/cgroup/memory/cgroup.procs", "7\n812\n");
  EXPECT_EQ(machine.open()->read().size(), 1u);
}

TEST(CgroupReader, OldVersionOneGroupsMayChargeNobodyElse) {
  Machine machine;
  machine.proc.file("self/mountinfo", kHybridMounts).file(kPid, "cgroup", "4:memory:/pod/job\n");
  machine.group_v1("/pod", "1000000\n", "20000\n");
  machine.group_v1("/pod/job", "2000000\n", "12000\n");
  machine.sys.file("fs/cgroup/memory/pod/memory.use_hierarchy", "0\n");
  EXPECT_EQ(machine.open()->read().size(), 1u);
}

TEST(CgroupReader, FollowsTheProcessIntoAnotherGroup) {
  Machine machine;
  machine.proc.file("self/mountinfo", kHybridMounts).file(kPid, "cgroup", "4:memory:/a\n");
  machine.group_v1("/a", "1000\n", "20\n", "812\n");
  machine.group_v1("/b", "2000\n", "20\n", "");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read().at(0).path, "/a");

  machine.proc.file(kPid, "cgroup", "4:memory:/b\n");
  machine.sys.file("fs/cgroup/memory/b/cgroup.procs", "812\n");
  EXPECT_EQ(reader->read().at(0).path, "/b");
}

TEST(CgroupReader, OneThatHasEndedStaysWhereItWas) {
  Machine machine;
  machine.proc.file("self/mountinfo", kHybridMounts).file(kPid, "cgroup", "4:memory:/a\n");
  machine.group_v1("", kNoLimit, "20\n", "1\n");
  machine.group_v1("/a", "1000\n", "20\n", "812\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  machine.proc.file(kPid, "cgroup", "4:memory:/\n");  // what version 1 says of a zombie
  machine.sys.file("fs/cgroup/memory/a/cgroup.procs", "");
  EXPECT_EQ(reader->read().at(0).path, "/a");
}

TEST(CgroupReader, SeesALimitThatIsSetLater) {
  Machine machine;
  machine.proc.file("self/mountinfo", kUnifiedMounts).file(kPid, "cgroup", "0::/a/b\n");
  machine.group_v2("/a", "max\n", "max\n");
  machine.group_v2("/a/b", "max\n", "max\n");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read().size(), 1u);
  machine.sys.file("fs/cgroup/a/memory.max", "1000\n");
  EXPECT_EQ(reader->read().size(), 2u);
}

TEST(CgroupReader, SaysWhyThereIsNone) {
  Machine machine;
  machine.proc.file("self/mountinfo", "23 22 0:21 / /sys rw - sysfs sysfs rw\n");
  EXPECT_EQ(machine.open().error().reason, Reason::Gone);
  machine.proc.file(kPid, "cgroup", "0::/\n");
  EXPECT_EQ(machine.open().error().reason, Reason::Unsupported);
}

TEST(CgroupReader, HoldsOnlyLooksIntoTheGroupsBelow) {
  Machine machine;
  machine.proc.file("self/mountinfo", kUnifiedMounts).file(kPid, "cgroup", "0::/a\n");
  machine.group_v2("/a", "max\n", "max\n", "812\n");
  machine.sys.file("fs/cgroup/a/x/y/cgroup.procs", "900\n").file("fs/cgroup/a/x/cgroup.procs", "");
  auto reader = machine.open();
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->holds_only(std::vector<pid_t>{812}));
  EXPECT_TRUE(reader->holds_only(std::vector<pid_t>{812, 900, 901}));
  machine.sys.file("fs/cgroup/a/x/cgroup.procs", "0\n");  // one that we cannot see
  EXPECT_FALSE(reader->holds_only(std::vector<pid_t>{812, 900}));
}

TEST(CgroupMembers, AreThoseOfTheWholeSubtree) {
  Machine machine;
  machine.proc.file("self/mountinfo", kHybridMounts);
  machine.group_v1("/a", kNoLimit, "1\n", "812\n7\n");
  machine.group_v1("/a/b", kNoLimit, "1\n", "900\n0\n");
  const auto expected = std::vector<pid_t>{7, 812, 900};
  for (const auto& path :
       {std::string("/a"), std::string("a"), machine.sys.path() + "/fs/cgroup/memory/a"}) {
    const auto members = cgroup_members(machine.roots(), path);
    ASSERT_TRUE(members) << path;
    EXPECT_EQ(*members, expected) << path;
    EXPECT_TRUE(CgroupReader::open_path(machine.roots(), path)) << path;
  }
  EXPECT_EQ(cgroup_members(machine.roots(), "/none").error().reason, Reason::Gone);
  EXPECT_EQ(cgroup_members(machine.roots(), "/a/../a").error().reason, Reason::Gone);
  EXPECT_EQ(CgroupReader::open_path(machine.roots(), "/none").error().reason, Reason::Gone);
}

TEST(CgroupReader, ReadsThisProcess) {
  auto reader = CgroupReader::open({}, getpid());
  if (!reader) GTEST_SKIP() << reader.error().what;
  for (const auto& group : reader->read()) EXPECT_TRUE(group.current);
}

}  // namespace
}  // namespace tidegauge::proc
