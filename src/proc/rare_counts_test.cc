// SPDX-License-Identifier: Apache-2.0
#include "proc/rare_counts.h"

#include <gtest/gtest.h>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kSize = 1 << 20;

TEST(RareCounts, AreTakenNowAndThen) {
  FakeProc proc;
  proc.file(7, "maps", "1000-2000 rw-p 0 00:00 0\n2000-3000 rw-p 0 00:00 0\n");
  proc.file(7, "fd/0", "").file(7, "fd/1", "");
  const Files files(*proc.root(), 0);
  RareCounts counts;
  EXPECT_TRUE(counts.is_due(0, kSize));
  ASSERT_TRUE(counts.count_fds(files, 7, 0));
  EXPECT_TRUE(counts.is_due(0, kSize));
  ASSERT_TRUE(counts.count_vmas(files, 7, "", kSize, 0));
  EXPECT_EQ(counts.vmas(), 2u);
  EXPECT_TRUE(counts.fds());
  EXPECT_FALSE(counts.is_due(kSecond, kSize));
  EXPECT_TRUE(counts.is_due(700 * kSecond, kSize));
  counts.start_over();
  EXPECT_FALSE(counts.vmas());
  EXPECT_TRUE(counts.is_due(kSecond, kSize));
}

TEST(RareCounts, MappingsAreCountedRarelyWhereTheAddressSpaceIsAsLargeAsItWas) {
  FakeProc proc;
  proc.file(7, "maps", "1000-2000 rw-p 0 00:00 0\n");
  const Files files(*proc.root(), 0);
  RareCounts counts;
  ASSERT_TRUE(counts.count_vmas(files, 7, "", kSize, 0));
  EXPECT_FALSE(counts.vmas_due(70 * kSecond, kSize));
  EXPECT_TRUE(counts.vmas_due(700 * kSecond, kSize));
  EXPECT_FALSE(counts.vmas_due(30 * kSecond, kSize + 1));
  EXPECT_TRUE(counts.vmas_due(70 * kSecond, kSize + 1));
}

TEST(RareCounts, WhatCannotBeReadStaysEmptyAndIsNotTriedAtOnce) {
  FakeProc proc;
  const Files files(*proc.root(), 0);
  RareCounts counts;
  EXPECT_FALSE(counts.count_fds(files, 7, 0));
  EXPECT_FALSE(counts.count_vmas(files, 7, "", kSize, 0));
  EXPECT_FALSE(counts.vmas());
  EXPECT_FALSE(counts.fds());
  EXPECT_FALSE(counts.is_due(kSecond, kSize));
}

}  // namespace
}  // namespace tidegauge::proc
