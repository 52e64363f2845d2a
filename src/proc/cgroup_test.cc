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

void group_v1(FakeProc& sys, const std::string& path, const std::string& limit,
              const std::string& usage) {
  const auto folder = "fs/cgroup/memory" + path + "/";
  sys.file(folder + "memory.limit_in_bytes", limit)
      .file(folder + "memory.usage_in_bytes", usage)
      .file(folder + "memory.kmem.usage_in_bytes", "4096\n")
      .file(folder + "memory.use_hierarchy", "1\n")
      .file(folder + "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
      .file(folder + "memory.stat",
            "cache 1\nrss 2\nshmem 1\nswap 0\ntotal_cache 7000\ntotal_rss 5000\n"
            "total_shmem 2000\ntotal_swap 300\n")
      .file(folder + "cgroup.procs", "");
}

TEST(CgroupReader, HybridHasItsMemoryInVersionOne) {
  FakeProc proc;
  FakeProc sys;
  proc.file("self/mountinfo", kHybridMounts).file(kPid, "cgroup", "4:memory:/pod/job\n0::/pod\n");
  group_v1(sys, "", kNoLimit, "90000\n");
  group_v1(sys, "/pod", "1000000\n", "20000\n");
  group_v1(sys, "/pod/job", kNoLimit, "12000\n");
  auto reader = CgroupReader::open({.proc = proc.path(), .sys = sys.path()}, kPid);
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

TEST(CgroupReader, ReadsThisProcess) {
  auto reader = CgroupReader::open({}, getpid());
  if (!reader) GTEST_SKIP() << reader.error().what;
  for (const auto& group : reader->read()) EXPECT_TRUE(group.current);
}

}  // namespace
}  // namespace tidegauge::proc
