// SPDX-License-Identifier: Apache-2.0
#include "proc/smaps_rollup.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

constexpr char kText[] =
    "55dd37a5b000-7ffd3bb16000 ---p 00000000 00:00 0                          [rollup]\n"
    "Rss:                1756 kB\nPss:                 261 kB\nPss_Dirty:           116 kB\n"
    "Pss_Anon:            116 kB\nPss_File:            144 kB\nPss_Shmem:             1 kB\n"
    "Shared_Clean:       1600 kB\nShared_Dirty:          0 kB\nPrivate_Clean:        40 kB\n"
    "Private_Dirty:       116 kB\nReferenced:         1756 kB\nPrivate_Hugetlb:    2048 kB\n"
    "Swap:                  0 kB\n";

TEST(ParseSmapsRollup, TakesSharesAndAddsUpThePrivate) {
  const auto rollup = parse_smaps_rollup(kText);
  ASSERT_TRUE(rollup);
  EXPECT_EQ(*rollup, (Rollup{.rss = 1756u << 10,
                             .pss = 261u << 10,
                             .pss_anon = 116u << 10,
                             .pss_file = 144u << 10,
                             .pss_shmem = 1u << 10,
                             .uss = 156u << 10}));
}

TEST(ParseSmapsRollup, OlderKernelsDoNotSplitPss) {
  const auto rollup = parse_smaps_rollup(
      "0-1 ---p 00000000 00:00 0 [rollup]\nRss: 8 kB\nPss: 4 kB\nPrivate_Clean: 0 kB\n");
  ASSERT_TRUE(rollup);
  EXPECT_EQ(rollup->pss, 4096u);
  EXPECT_FALSE(rollup->pss_anon);
  EXPECT_FALSE(rollup->uss);  // half of it is not known
}

TEST(ParseSmapsRollup, MorePrivateThanResidentIsNotBelieved) {
  const auto rollup = parse_smaps_rollup(
      "0-1 ---p\nRss: 8 kB\nPss: 4 kB\nPrivate_Clean: 6 kB\nPrivate_Dirty: 6 kB\n");
  ASSERT_TRUE(rollup);
  EXPECT_FALSE(rollup->uss);
}

TEST(ParseSmapsRollup, WithoutRssOrPssItIsMalformed) {
  for (const char* text : {"", "0-1 ---p\n", "0-1 ---p\nRss: 8 kB\n", "0-1 ---p\nPss: 8 kB\n"}) {
    const auto rollup = parse_smaps_rollup(text);
    ASSERT_FALSE(rollup) << text;
    EXPECT_EQ(rollup.error().reason, Reason::Malformed);
  }
}

}  // namespace
}  // namespace tidegauge::proc
