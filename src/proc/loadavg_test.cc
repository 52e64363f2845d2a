// SPDX-License-Identifier: Apache-2.0
#include "proc/loadavg.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseLastPid, IsTheLastField) {
  EXPECT_EQ(parse_last_pid("2.27 0.81 0.30 3/105 16304\n"), 16304);
}

TEST(ParseLastPid, IsNothingWhereThereIsNone) {
  for (const char* text : {"", "0.00 0.00 0.00 1/2", "0.00 0.00 0.00 1/2 x", "0 0 0 1/2 -7"}) {
    EXPECT_FALSE(parse_last_pid(text)) << text;
  }
}

}  // namespace
}  // namespace tidegauge::proc
