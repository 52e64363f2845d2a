// SPDX-License-Identifier: Apache-2.0
#include "proc/probe.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(UserIds, AreTheEffectiveOnes) {
  const auto ids =
      parse_user_ids("Name:\tUid:\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10 \n");
  ASSERT_TRUE(ids) << ids.error().what;
  EXPECT_EQ(*ids, (UserIds{.user = 2, .group = 6, .groups = {9, 10}}));
}

TEST(UserIds, AreNotGuessed) {
  EXPECT_FALSE(parse_user_ids(""));
  EXPECT_FALSE(parse_user_ids("Uid:\t1\t2\t3\t4\n"));
  EXPECT_FALSE(parse_user_ids("Uid:\t1\tx\t3\t4\nGid:\t5\t6\t7\t8\n"));
  EXPECT_FALSE(parse_user_ids("Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\tx\n"));
}

}  // namespace
}  // namespace tidegauge::proc
