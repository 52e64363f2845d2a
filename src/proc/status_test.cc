// SPDX-License-Identifier: Apache-2.0
#include "proc/status.h"

#include <gtest/gtest.h>

#include <string>

namespace tidegauge::proc {
namespace {

constexpr char kText[] =
    "Name:\tpython3\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t812\nNgid:\t0\nPid:\t812\n"
    "PPid:\t811\nNStgid:\t812\t7\nNSpid:\t812\t7\nVmPeak:\t    3060 kB\nVmLck:\t      64 kB\n"
    "VmPin:\t       0 kB\nVmHWM:\t    2640 kB\nVmRSS:\t    1640 kB\nRssAnon:\t     112 kB\n"
    "RssFile:\t    1520 kB\nRssShmem:\t       8 kB\nVmPTE:\t      44 kB\nVmSwap:\t      16 kB\n"
    "HugetlbPages:\t    2048 kB\nThreads:\t5\nSigQ:\t0/96349\n";

TEST(ParseStatus, TakesMemoryInBytes) {
  const auto status = parse_status(kText);
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, (Status{.state = 'S',
                             .thread_group = 812,
                             .innermost_pid = 7,
                             .pid_namespaces = 2,
                             .threads = 5,
                             .rss = 1640u << 10,
                             .anon = 112u << 10,
                             .file = 1520u << 10,
                             .shmem = 8u << 10,
                             .swap = 16u << 10,
                             .hugetlb = 2048u << 10,
                             .page_tables = 44u << 10,
                             .locked = 64u << 10,
                             .peak_rss = 2640u << 10}));
}

TEST(ParseStatus, WhatTheKernelDoesNotSayIsEmptyNotZero) {
  const auto status =
      parse_status("Name:\tkthreadd\nState:\tS (sleeping)\nTgid:\t2\nThreads:\t1\n");
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->rss);
  EXPECT_FALSE(status->swap);
  EXPECT_EQ(status->pid_namespaces, 1);
}

TEST(ParseStatus, ANameCannotForgeALine) {
  // The kernel writes a newline in a name as a backslash and an n.
  const auto status =
      parse_status("Name:\tx\\nVmRSS:\t9 kB\nState:\tR (running)\nTgid:\t3\nVmRSS:\t 4 kB\n");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->rss, 4096u);
}

TEST(ParseStatus, ANumberThatMakesNoSenseIsEmpty) {
  const auto status = parse_status("Tgid:\t3\nVmRSS:\t99999999999999999999 kB\nVmSwap:\t5 MB\n");
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->rss);
  EXPECT_FALSE(status->swap);
}

TEST(ParseStatus, WithoutAThreadGroupItIsMalformed) {
  for (const char* text : {"", "Name:\tx\n", "Tgid:\t-1\n", "Tgid:\t\n"}) {
    const auto status = parse_status(text);
    ASSERT_FALSE(status) << text;
    EXPECT_EQ(status.error().reason, Reason::Malformed);
  }
}

}  // namespace
}  // namespace tidegauge::proc
