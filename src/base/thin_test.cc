// SPDX-License-Identifier: Apache-2.0
#include "base/thin.h"

#include <gtest/gtest.h>

namespace tidegauge {
namespace {

TEST(KeepEverySecond, TheFirstStays) {
  std::vector<int> all;
  keep_every_second(all);
  EXPECT_TRUE(all.empty());
  all = {1, 2, 3, 4, 5};
  keep_every_second(all);
  EXPECT_EQ(all, (std::vector<int>{1, 3, 5}));
  all = {1, 2, 3, 4};
  keep_every_second(all);
  EXPECT_EQ(all, (std::vector<int>{1, 3}));
}

}  // namespace
}  // namespace tidegauge
