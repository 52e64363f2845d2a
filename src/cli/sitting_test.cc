// SPDX-License-Identifier: Apache-2.0
#include "cli/sitting.h"

#include <gtest/gtest.h>

namespace tidegauge::cli {
namespace {

using verdict::Class;

TEST(Sitting, OnlyALeakDecidesBeforeAProgramHasStarted) {
  EXPECT_TRUE(decides(Class::Leak, 5));
  EXPECT_FALSE(decides(Class::Steady, 5));
  EXPECT_FALSE(decides(Class::WarmUp, 59));
  EXPECT_TRUE(decides(Class::Steady, 60));
  EXPECT_FALSE(decides(Class::Undecided, 600));
}

}  // namespace
}  // namespace tidegauge::cli
