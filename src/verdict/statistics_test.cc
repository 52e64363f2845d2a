// SPDX-License-Identifier: Apache-2.0
#include "verdict/statistics.h"

#include <gtest/gtest.h>

namespace tidegauge::verdict {
namespace {

TEST(Statistics, MedianOfEvenAndOddAndNone) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Statistics, QuantileIsARankOfTheValues) {
  EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0), 1);
  EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.5), 3);
  EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 1), 5);
}

TEST(Statistics, RobustDeviationDoesNotSeeAnOutlier) {
  EXPECT_NEAR(robust_deviation({-1, 0, 1, -1, 0, 1, 1e9}), 1.48, 0.01);
}

// Worked values from printed tables.
TEST(Statistics, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(normal_quantile(0.0001), -3.719016, 1e-5);
  EXPECT_NEAR(normal_cdf(1.959964), 0.975, 1e-6);
  EXPECT_NEAR(t_quantile(0.975, 10), 2.228, 0.01);
  EXPECT_NEAR(t_quantile(0.999, 5), 5.893, 0.15);
  EXPECT_NEAR(t_quantile(0.975, 1e6), 1.95996, 1e-4);
}

TEST(Statistics, LogisticUndoesLogit) {
  for (const double p : {0.001, 0.3, 0.5, 0.97}) EXPECT_NEAR(logistic(logit(p)), p, 1e-12);
}

}  // namespace
}  // namespace tidegauge::verdict
