// SPDX-License-Identifier: Apache-2.0
#include "verdict/segments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tidegauge::verdict {
namespace {

Curve ramp_then_flat(std::size_t knee, std::size_t points) {
  Curve curve;
  for (std::size_t i = 0; i < points; ++i) {
    curve.x.push_back(static_cast<double>(i));
    curve.z.push_back(100 + 7 * static_cast<double>(std::min(i, knee)));
  }
  return curve;
}

// All ways to lay `pieces` pieces, one by one.
double by_brute_force(const Curve& curve, int pieces, int fewest, std::size_t from) {
  const auto cost = [&](std::size_t begin, std::size_t end) {
    double mx = 0;
    double mz = 0;
    const auto n = static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      mx += curve.x[i] / n;
      mz += curve.z[i] / n;
    }
    double xx = 0;
    double xz = 0;
    double zz = 0;
    for (std::size_t i = begin; i < end; ++i) {
      xx += (curve.x[i] - mx) * (curve.x[i] - mx);
      xz += (curve.x[i] - mx) * (curve.z[i] - mz);
      zz += (curve.z[i] - mz) * (curve.z[i] - mz);
    }
    return zz - xz * xz / xx;
  };
  const std::size_t n = curve.size();
  if (pieces == 1) {
    return n - from < static_cast<std::size_t>(fewest) ? INFINITY : cost(from, n);
  }
  double best = INFINITY;
  for (std::size_t end = from + static_cast<std::size_t>(fewest); end < n; ++end) {
    best = std::min(best, cost(from, end) + by_brute_force(curve, pieces - 1, fewest, end));
  }
  return best;
}

TEST(Segments, FindsTheKnee) {
  const auto found = segment(ramp_then_flat(20, 50), {});
  ASSERT_GE(found.size(), 2u);
  ASSERT_EQ(found[1].pieces.size(), 2u);
  EXPECT_NEAR(static_cast<double>(found[1].pieces[1].begin), 20, 1);
  EXPECT_NEAR(found[1].pieces[0].slope, 7, 1e-6);
  EXPECT_NEAR(found[1].pieces[1].slope, 0, 1e-6);
  EXPECT_NEAR(found[1].residual, 0, 1e-6);
}

TEST(Segments, PiecesCoverEveryPointOnceAndMoreNeverFitWorse) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Curve curve;
  for (int i = 0; i < 48; ++i) {
    curve.x.push_back(i + 0.3 * normal(random));
    curve.z.push_back(normal(random));
  }
  std::sort(curve.x.begin(), curve.x.end());
  const auto found = segment(curve, {.fewest_points_last = 5});
  double before = INFINITY;
  for (const auto& one : found) {
    EXPECT_LE(one.residual, before + 1e-9);
    before = one.residual;
    std::size_t next = 0;
    for (const auto& piece : one.pieces) {
      EXPECT_EQ(piece.begin, next);
      EXPECT_GE(piece.end - piece.begin, 3u);
      next = piece.end;
    }
    EXPECT_EQ(next, curve.size());
    if (one.pieces.size() > 1) {
      EXPECT_GE(one.pieces.back().end - one.pieces.back().begin, 5u);
    }
  }
}

TEST(Segments, IsAsGoodAsTryingThemAll) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 10; ++trial) {
    Curve curve;
    for (int i = 0; i < 13; ++i) {
      curve.x.push_back(i);
      curve.z.push_back(normal(random) + (i > 6 ? 5 : 0));
    }
    const auto found = segment(curve, {.most_pieces = 3});
    ASSERT_EQ(found.size(), 3u);
    for (int pieces = 1; pieces <= 3; ++pieces) {
      EXPECT_NEAR(found[static_cast<std::size_t>(pieces - 1)].residual,
                  by_brute_force(curve, pieces, 3, 0), 1e-8);
    }
  }
}

TEST(Segments, OfNothingIsNothing) {
  EXPECT_TRUE(segment({}, {}).empty());
}

}  // namespace
}  // namespace tidegauge::verdict
