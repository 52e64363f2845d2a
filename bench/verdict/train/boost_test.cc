// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/train/boost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bench/verdict/train/emit.h"

namespace tidegauge::bench {
namespace {

double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

// Truth is (a > .5) != (b > .5) with some noise; c is noise.
Rows either_or(std::size_t count) {
  std::mt19937_64 random(7);
  Rows rows{.features = 3};
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> row = {static_cast<float>(uniform(random)),
                                    static_cast<float>(uniform(random)),
                                    static_cast<float>(uniform(random))};
    const bool truth = (row[0] > 0.5F) != (row[1] > 0.5F);
    rows.add(row, (uniform(random) < 0.05) != truth ? 1.0F : 0.0F, 1);
  }
  return rows;
}

BoostRules small() {
  return {.trees = 60, .leaves = 6, .feature_share = 1.0};
}

TEST(Boost, LearnsWhatNoSingleFeatureShows) {
  const Rows rows = either_or(4000);
  const Forest forest = boost(rows, small());
  EXPECT_GT(forest.log_odds(std::vector<float>{0.9F, 0.1F, 0.5F}), 1.5);
  EXPECT_GT(forest.log_odds(std::vector<float>{0.1F, 0.9F, 0.5F}), 1.5);
  EXPECT_LT(forest.log_odds(std::vector<float>{0.9F, 0.9F, 0.5F}), -1.5);
  EXPECT_LT(forest.log_odds(std::vector<float>{0.1F, 0.1F, 0.5F}), -1.5);
}

TEST(Boost, IsTheSameEveryTimeOnAnyNumberOfThreads) {
  const Rows rows = either_or(2000);
  BoostRules one = small();
  one.threads = 1;
  BoostRules two = small();
  two.threads = 2;
  EXPECT_EQ(to_source(boost(rows, one), "x"), to_source(boost(rows, two), "x"));
}

TEST(Boost, NeverFallsAlongAFeatureThatMayOnlyRise) {
  std::mt19937_64 random(3);
  Rows rows{.features = 2};
  for (int i = 0; i < 4000; ++i) {
    const auto x = static_cast<float>(uniform(random));
    const auto y = static_cast<float>(uniform(random));
    // Rises, then falls: the constraint must win over the data.
    const double p = 0.2 + 0.7 * std::sin(3.1 * static_cast<double>(x));
    rows.add(std::vector<float>{x, y}, uniform(random) < p ? 1.0F : 0.0F, 1);
  }
  BoostRules rules = small();
  rules.direction = {1, 0};
  const Forest forest = boost(rows, rules);
  for (const float y : {0.1F, 0.5F, 0.9F}) {
    double before = -1e9;
    for (float x = 0; x < 1; x += 0.01F) {
      const double now = forest.log_odds(std::vector<float>{x, y});
      EXPECT_GE(now, before - 1e-9);
      before = now;
    }
  }
}

TEST(Boost, AWeightOfTwoIsTheSameAsTwoRows) {
  Rows twice{.features = 1};
  Rows heavy{.features = 1};
  for (int i = 0; i < 400; ++i) {
    const auto x = static_cast<float>(i % 20);
    const float truth = i % 20 > 12 ? 1.0F : 0.0F;
    twice.add(std::vector<float>{x}, truth, 1);
    twice.add(std::vector<float>{x}, truth, 1);
    heavy.add(std::vector<float>{x}, truth, 2);
  }
  const Forest a = boost(twice, small());
  const Forest b = boost(heavy, small());
  for (float x = 0; x < 20; ++x) {
    EXPECT_NEAR(a.log_odds(std::vector<float>{x}), b.log_odds(std::vector<float>{x}), 1e-6);
  }
}

}  // namespace
}  // namespace tidegauge::bench
