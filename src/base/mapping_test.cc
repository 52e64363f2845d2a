// SPDX-License-Identifier: Apache-2.0
#include "base/mapping.h"

#include <gtest/gtest.h>

namespace tidegauge {
namespace {

TEST(MappingLine, HasWhatTheKernelWrites) {
  const auto line = parse_mapping_line(
      "7fff0000-7fff1000 rw-s 00001000 00:01 7                  /dev/shm/a name (deleted)");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->begin, 0x7fff0000u);
  EXPECT_EQ(line->end, 0x7fff1000u);
  EXPECT_EQ(line->permissions, "rw-s");
  EXPECT_EQ(line->offset, 0x1000u);
  EXPECT_EQ(line->device, "00:01");
  EXPECT_EQ(line->inode, 7u);
  EXPECT_EQ(line->path, "/dev/shm/a name (deleted)");
}

TEST(MappingLine, NeedsNoPath) {
  const auto line = parse_mapping_line("7ffd1000-7ffd3000 rw-p 00000000 00:00 0 ");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->path, "");
}

TEST(MappingLine, IsNothingElse) {
  for (const auto* text :
       {"", "x", "-", "1000-2000", "1000-2000 rw", "1000-2000 rw-p", "1000-2000 rw-p 0 00:00",
        "1000-1000 rw-p 0 00:00 0", "2000-1000 rw-p 0 00:00 0", "0x10-0x20 rw-p 0 00:00 0",
        "1000-11112222333344445555 rw-p 0 00:00 0", "1000-2000 rw-p 0 00:00 f"}) {
    EXPECT_FALSE(parse_mapping_line(text)) << text;
  }
}

}  // namespace
}  // namespace tidegauge
