// SPDX-License-Identifier: Apache-2.0
#include "census/regions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace tidegauge::census {
namespace {

TEST(Regions, AreReadFromMaps) {
  const auto regions = parse_regions(
      "00400000-00420000 r--p 00000000 fd:00 42                         /usr/bin/python3.11\n"
      "7ffd1000-7ffd3000 rw-p 00000000 00:00 0 \n"
      "nonsense\n"
      "7ffe0000-7ffe1000 r-xp 00000000 00:00 0                          [vdso]\n"
      "7fff0000-7fff1000 rw-s 00001000 00:01 7   /dev/shm/a name (deleted)\n");
  ASSERT_EQ(regions.size(), 4U);
  EXPECT_EQ(regions[0], (Region{.begin = 0x400000,
                                .end = 0x420000,
                                .readable = true,
                                .inode = 42,
                                .path = "/usr/bin/python3.11"}));
  EXPECT_EQ(regions[1].path, "");
  EXPECT_TRUE(regions[1].writable);
  EXPECT_EQ(regions[2].path, "[vdso]");
  EXPECT_EQ(regions[3].path, "/dev/shm/a name (deleted)");
  EXPECT_TRUE(regions[3].shared);
}

TEST(Regions, OfThisProcessHoldItsOwnVariables) {
  const auto regions = read_regions(::getpid());
  ASSERT_TRUE(regions);
  const int here = 0;
  const auto address = reinterpret_cast<Address>(&here);
  EXPECT_TRUE(std::any_of(regions->begin(), regions->end(),
                          [&](const Region& region) { return region.holds(address); }));
}

TEST(Regions, OfNobodyAreGone) {
  const auto regions = read_regions(0x3fffffff);
  ASSERT_FALSE(regions);
  EXPECT_EQ(regions.error().reason, Reason::Gone);
}

}  // namespace
}  // namespace tidegauge::census
