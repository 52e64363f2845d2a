// SPDX-License-Identifier: Apache-2.0
#include "proc/limits.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseLimits, TakesSoftLimitsAndUnlimitedIsNone) {
  EXPECT_EQ(
      parse_limits("Limit                     Soft Limit           Hard Limit   Units     \n"
                   "Max data size             unlimited            unlimited    bytes     \n"
                   "Max processes             96349                96349        processes \n"
                   "Max open files            1024                 20000        files     \n"
                   "Max locked memory         8388608              8388608      bytes     \n"
                   "Max address space         4000000              unlimited    bytes     \n"),
      (Limits{
          .address_space = 4000000, .locked = 8388608, .open_files = 1024, .processes = 96349}));
  EXPECT_EQ(parse_limits(""), Limits{});
  EXPECT_EQ(parse_limits("Max open files\nMax address space -1 x\n"), Limits{});
}

}  // namespace
}  // namespace tidegauge::proc
