// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <string>

namespace tidegauge::cli {
namespace {

constexpr std::string_view kNames[] = {"run", "watch", "judge", "doctor"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("wacth", kNames), "watch");
  EXPECT_EQ(nearest("juge", kNames), "judge");
  EXPECT_EQ(nearest("rnu", kNames), "");
  EXPECT_EQ(nearest("runn", kNames), "run");
}

TEST(Nearest, SaysNothingRatherThanNonsense) {
  EXPECT_EQ(nearest("frobnicate", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), kNames), "");
}

}  // namespace
}  // namespace tidegauge::cli
