// SPDX-License-Identifier: Apache-2.0
#include "proc/mountinfo.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseMountinfo, TakesRootPointTypeAndOptions) {
  const auto mounts = parse_mountinfo(
      "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:7 - ext3 /dev/root rw,errors=continue\n"
      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0], (Mount{"/mnt1", "/mnt2", "ext3", "rw,errors=continue"}));
  EXPECT_EQ(mounts[1], (Mount{"/", "/sys/fs/cgroup/memory", "cgroup", "rw,memory"}));
}

TEST(ParseMountinfo, UndoesTheKernelsEscapes) {
  const auto mounts =
      parse_mountinfo("1 2 0:1 / /a\\040b\\134c\\011\\09\\ rw - tmpfs x\\040y rw\n");
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_EQ(mounts[0].point, "/a b\\c\t\\09\\");
}

TEST(ParseMountinfo, PassesOverLinesThatMakeNoSense) {
  EXPECT_TRUE(parse_mountinfo("").empty());
  EXPECT_TRUE(parse_mountinfo("1 2 3\n\n \n1 2 0:1 / /a rw shared:1 tmpfs\n").empty());
  EXPECT_EQ(parse_mountinfo("x\n1 2 0:1 / /a rw - tmpfs").size(), 1u);
}

TEST(HasOption, IsByWholeWords) {
  EXPECT_TRUE(has_option("rw,memory", "memory"));
  EXPECT_TRUE(has_option("memory", "memory"));
  EXPECT_FALSE(has_option("rw,memory_recursiveprot", "memory"));
  EXPECT_FALSE(has_option("", "memory"));
  EXPECT_FALSE(has_option("rw,", "memory"));
}

}  // namespace
}  // namespace tidegauge::proc
