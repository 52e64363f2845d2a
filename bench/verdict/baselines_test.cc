// SPDX-License-Identifier: Apache-2.0
// The baselines get a fair chance: each sees a plain leak, and its setting is the best there is.
#include "bench/verdict/baselines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/verdict/regression.h"
#include "bench/verdict/tuning.h"

namespace tidegauge::bench {
namespace {

struct Plain {
  std::vector<double> seconds{};
  std::vector<double> bytes{};

  Prefix prefix() const { return {seconds, bytes, 32e9}; }
};

// Two hours, a sample every ten seconds, around 1 GB with some noise.
Plain series(double bytes_per_second) {
  Random random("plain", 1);
  Plain out;
  for (int i = 0; i < 720; ++i) {
    out.seconds.push_back(10.0 * i);
    out.bytes.push_back(1e9 + bytes_per_second * 10 * i + 1e6 * random.normal());
  }
  return out;
}

TEST(Baselines, EachSeesAPlainLeak) {
  const auto leak = series(1e5);
  const auto flat = series(0);
  for (const auto& baseline : baselines())
    EXPECT_GT(baseline.score(leak.prefix()), baseline.score(flat.prefix())) << baseline.name;
}

TEST(Regression, ALineIsFoundAgain) {
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const std::vector<double> y = {1, 3, 5, 7, 9};
  const auto line = fit_line(x, y);
  EXPECT_DOUBLE_EQ(line.slope, 2);
  EXPECT_DOUBLE_EQ(line.intercept, 1);
  EXPECT_DOUBLE_EQ(line.r_squared, 1);
}

TEST(Regression, BlocksKeepTheirLowestAndMiddleValues) {
  const std::vector<double> x = {0, 1, 2, 3, 4, 5};
  const std::vector<double> y = {5, 4, 6, 9, 7, 8};
  const auto minima = block_minima(x, y, 2);
  EXPECT_EQ(minima.y, (std::vector<double>{4, 7}));
  EXPECT_EQ(minima.x, (std::vector<double>{1, 4}));
  EXPECT_EQ(block_medians(x, y, 3).y, (std::vector<double>{5, 8}));
}

// A gap of many blocks must not cost a step for each of them.
TEST(Regression, BlocksPassOverGaps) {
  const std::vector<double> x = {0, 1, 1e12, 1e12 + 1};
  const std::vector<double> y = {1, 2, 3, 4};
  EXPECT_EQ(block_medians(x, y, 10).size(), 2u);
}

Scored scored(Label label, double onset, std::vector<double> scores) {
  Scored out;
  out.head.truth.label = label;
  out.head.truth.onset_seconds = onset;
  for (std::size_t i = 0; i < scores.size(); ++i)
    out.look_seconds.push_back(600 * static_cast<double>(i + 1));
  out.scores = {std::move(scores)};
  return out;
}

// Bounded series are above every threshold for a short time, leaks for long: only persistence can
// tell them apart.
TEST(Tuning, FindsPersistenceWhereAThresholdAloneFails) {
  const std::vector<Scored> tuning = {
      scored(Label::Leak, 0, {1, 5, 5, 5, 5}), scored(Label::Leak, 0, {1, 5, 5, 5, 5}),
      scored(Label::Bounded, 0, {1, 9, 9, 1, 1}), scored(Label::Bounded, 0, {9, 9, 1, 1, 1})};
  const auto setting = best_setting(tuning, 0);
  EXPECT_GE(setting.persistence_minutes, 20);
  for (const auto& one : tuning) {
    const auto outcome = outcome_with(one, 0, setting);
    bool ever = false;
    for (const auto& look : outcome.looks) ever = ever || look.klass == verdict::Class::Leak;
    EXPECT_EQ(ever, one.head.truth.label == Label::Leak);
    EXPECT_EQ(outcome.finished.klass == verdict::Class::Leak, one.head.truth.label == Label::Leak);
  }
}

}  // namespace
}  // namespace tidegauge::bench
