// SPDX-License-Identifier: Apache-2.0
#include "proc/maps.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseMaps, TellsWhatStandsBehindAMapping) {
  const auto mappings = parse_maps(
      "55cdb9d16000-55cdb9d18000 r--p 00000000 fe:00 247278                     /usr/bin/head\n"
      "55cdbb000000-55cdbb021000 rw-p 00000000 00:00 0                          [heap]\n"
      "7f0000000000-7f0040000000 ---p 00000000 00:00 0 \n"
      "7f0050000000-7f0050200000 rw-p 00000000 00:0f 99           /anon_hugepage (deleted)\n"
      "7f0060000000-7f0060001000 rw-s 00000000 00:01 1            /dev/zero (deleted)\n"
      "7f0070000000-7f0070001000 rw-s 00000000 00:19 2            /dev/shm/torch_1_2 x\n"
      "7f0080000000-7f0080001000 rw-s 00000000 00:01 3            /memfd:ring (deleted)\n"
      "7f0090000000-7f0090001000 rw-p 00000000 fe:00 4            /srv/a file (deleted)\n");
  ASSERT_EQ(mappings.size(), 8u);
  EXPECT_EQ(mappings[0], (Mapping{0x55cdb9d16000, 0x55cdb9d18000, Backing::File, true, false}));
  EXPECT_EQ(mappings[1], (Mapping{0x55cdbb000000, 0x55cdbb021000, Backing::Nothing, true, false}));
  EXPECT_FALSE(mappings[2].accessible);
  EXPECT_TRUE(mappings[3].hugetlb);
  EXPECT_EQ(mappings[4].backing, Backing::Shmem);
  EXPECT_EQ(mappings[5].backing, Backing::Shmem);
  EXPECT_EQ(mappings[6].backing, Backing::Shmem);
  EXPECT_EQ(mappings[7].backing, Backing::File);
}

TEST(ParseMaps, ComesOutInOrderAndWithoutOverlap) {
  const auto mappings = parse_maps(
      "2000-4000 rw-p 0 00:00 0 \n3000-5000 rw-p 0 00:00 0 \n1000-2000 rw-p 0 00:00 0 \n"
      "4000-5000 rw-p 0 00:00 0 \n");
  ASSERT_EQ(mappings.size(), 2u);
  EXPECT_EQ(mappings[1].begin, 0x4000u);
}

TEST(ParseMaps, LeavesOutWhatMakesNoSense) {
  EXPECT_TRUE(parse_maps("").empty());
  EXPECT_TRUE(parse_maps("x\n-\n1000-1000 rw-p\n2000-1000 rw-p\n1000-2000\n1000-2000 rw\n"
                         "1000-11112222333344445555 rw-p\n0x10-0x20 rw-p\n")
                  .empty());
}

}  // namespace
}  // namespace tidegauge::proc
