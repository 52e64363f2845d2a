// SPDX-License-Identifier: Apache-2.0
#include "guard/track.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>

namespace tidegauge::guard {
namespace {

constexpr double kMiB = 1024.0 * 1024;

Shape shape_of(double seconds, const std::function<double(double)>& used) {
  Track track;
  constexpr double kStep = 0.01;
  for (double at = 0; at < seconds; at += kStep) {
    track.add(static_cast<std::int64_t>(at * 1e9), used(at));
  }
  return track.shape();
}

TEST(Track, ALeakRises) {
  const auto shape = shape_of(30, [](double at) { return (100 + 5 * at) * kMiB; });
  EXPECT_TRUE(shape.rising);
  EXPECT_NEAR(shape.bytes_per_second / kMiB, 5, 0.2);
  EXPECT_NEAR(shape.floor / kMiB, 250, 12);
  EXPECT_LT(shape.spike / kMiB, 5);
}

TEST(Track, ALeakUnderSpikesRises) {
  const auto shape = shape_of(
      60, [](double at) { return (100 + 2 * at + (std::fmod(at, 1.0) < 0.3 ? 50 : 0)) * kMiB; });
  EXPECT_TRUE(shape.rising);
  EXPECT_NEAR(shape.bytes_per_second / kMiB, 2, 0.2);
  EXPECT_NEAR(shape.spike / kMiB, 50, 12);
}

TEST(Track, AWarmUpDoesNot) {
  for (const double end : {3.0, 10.0, 40.0}) {
    const auto shape =
        shape_of(end, [&](double at) { return 900 * kMiB * (1 - std::exp(-at / (end / 2))); });
    EXPECT_FALSE(shape.rising) << end;
  }
}

TEST(Track, SpikesAreNoGrowth) {
  const auto shape =
      shape_of(120, [](double at) { return (std::fmod(at, 3.0) < 1 ? 950 : 400) * kMiB; });
  EXPECT_FALSE(shape.rising);
  EXPECT_NEAR(shape.floor / kMiB, 400, 1);
  EXPECT_NEAR(shape.spike / kMiB, 550, 1);
  EXPECT_NEAR(shape.top / kMiB, 950, 1);
}

// 75 MB at once and then a pause, as one call does that populates its memory.
TEST(Track, WhatIsTakenAtOnceIsAJump) {
  const auto steps = [](double at) { return (50 + 75 * std::floor(at / 0.2)) * kMiB; };
  for (const double seconds : {0.5, 2.0, 8.0}) {
    EXPECT_NEAR(shape_of(seconds, steps).jump / kMiB, 75, 1) << seconds;
  }
  const auto calm = shape_of(30, [](double at) { return (100 + 5 * at) * kMiB; });
  EXPECT_LT(calm.jump / kMiB, 2) << "growth is none";
  const auto late =
      shape_of(60, [](double at) { return (at < 0.2 ? 2000 * at : 400 + at) * kMiB; });
  EXPECT_LT(late.jump / kMiB, 2) << "how it began is forgotten";
}

TEST(Track, TooLittleSaysNothing) {
  EXPECT_FALSE(shape_of(1, [](double at) { return at * 100 * kMiB; }).rising);
  EXPECT_EQ(Track().shape().floor, 0);
}

// Whatever comes, in whatever rhythm: what it says lies within what it was told.
TEST(Track, StaysWithinWhatItWasTold) {
  EXPECT_TRUE(rc::check([] {
    Track track;
    std::int64_t at = 0;
    double low = 1e18, high = 0;
    const auto count = *rc::gen::inRange(1, 400);
    for (int i = 0; i < count; ++i) {
      at += *rc::gen::inRange<std::int64_t>(0, 40'000'000'000);
      const double used = *rc::gen::inRange(0, 2'000'000'000);
      low = std::min(low, used);
      high = std::max(high, used);
      track.add(at, used);
      const auto shape = track.shape();
      RC_ASSERT(shape.top <= high);
      RC_ASSERT(shape.spike >= 0 && shape.spike <= high - low);
      RC_ASSERT(shape.jump >= 0 && shape.jump <= high - low);
      RC_ASSERT(shape.floor >= low && shape.floor <= high + (high - low));
      RC_ASSERT(shape.bytes_per_second >= 0);
    }
  }));
}

}  // namespace
}  // namespace tidegauge::guard
