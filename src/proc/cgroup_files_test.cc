// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup_files.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseMemberships, TakesBothVersions) {
  EXPECT_EQ(parse_memberships("9:name=systemd:/\n4:memory:/docker/4a\n3:cpu,cpuacct:/x:y\n0::/a\n"),
            (std::vector<Membership>{{9, "name=systemd", "/"},
                                     {4, "memory", "/docker/4a"},
                                     {3, "cpu,cpuacct", "/x:y"},
                                     {0, "", "/a"}}));
  EXPECT_TRUE(parse_memberships("\nx\n1:\n:a:/\n-1:a:/\n").empty());
}

TEST(ParseLimit, NoLimitIsEmptyInBothVersions) {
  EXPECT_EQ(parse_limit("67108864\n"), 67108864u);
  EXPECT_EQ(parse_limit("0\n"), 0u);
  for (const auto* text : {"max\n", "9223372036854771712\n", "9223372036854710272\n",
                           "9223372036854775807\n", "18446744073709551615\n", "", "-1\n", "x"}) {
    EXPECT_FALSE(parse_limit(text)) << text;
  }
}

TEST(ParseAmount, IsTheWholeText) {
  EXPECT_EQ(parse_amount("12\n"), 12u);
  EXPECT_FALSE(parse_amount("12 13\n"));
  EXPECT_FALSE(parse_amount("12kB"));
}

TEST(StatV1, TakesTheTotalsOfTheWholeSubtree) {
  record::Cgroup group;
  add_stat_v1(group,
              "cache 1\nrss 2\nshmem 3\nhierarchical_memory_limit 4\ntotal_cache 700\n"
              "total_rss 500\ntotal_shmem 200\ntotal_swap 0\n");
  EXPECT_EQ(group.anon, 500u);
  EXPECT_EQ(group.file, 500u);
  EXPECT_EQ(group.shmem, 200u);
  EXPECT_EQ(group.swap, 0u);
}

TEST(StatV1, WhatIsNotThereIsEmpty) {
  record::Cgroup group;
  add_stat_v1(group, "total_rss x\ntotal_shmem 5\n");
  EXPECT_FALSE(group.anon);
  EXPECT_FALSE(group.file);
  EXPECT_FALSE(group.swap);
}

TEST(StatV2, KernelMemoryIsItsPartsWhereTheKernelDoesNotAddThemUp) {
  record::Cgroup group;
  add_stat_v2(group,
              "anon 500\nfile 700\nkernel 90\nkernel_stack 10\npagetables 20\npercpu 3\nsock 7\n"
              "shmem 200\nslab 40\n");
  EXPECT_EQ(group.kernel, 90u);
  EXPECT_EQ(group.file, 500u);

  record::Cgroup old;  // 5.10
  add_stat_v2(old, "anon 500\nfile 700\nkernel_stack 10\npercpu 3\nsock 7\nshmem 900\nslab 40\n");
  EXPECT_EQ(old.kernel, 53u);
  EXPECT_EQ(old.file, 0u);  // counters are not read at one moment
}

TEST(EventsV2, TellsOfKills) {
  record::Cgroup group;
  add_events_v2(group, "low 0\nhigh 4\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n");
  EXPECT_EQ(group.oom, 2u);
  EXPECT_EQ(group.oom_kill, 1u);
}

TEST(OomControlV1, TellsOfKillsSinceKernel413) {
  record::Cgroup group;
  add_oom_control_v1(group, "oom_kill_disable 0\nunder_oom 0\n");
  EXPECT_FALSE(group.oom_kill);
  add_oom_control_v1(group, "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
  EXPECT_EQ(group.oom_kill, 5u);
}

TEST(ParsePids, TakesZeroForThoseOfOtherNamespaces) {
  EXPECT_EQ(parse_pids("0\n12\n812\n"), (std::vector<pid_t>{0, 12, 812}));
  EXPECT_EQ(parse_pids("x\n-3\n12"), (std::vector<pid_t>{12}));
}

}  // namespace
}  // namespace tidegauge::proc
