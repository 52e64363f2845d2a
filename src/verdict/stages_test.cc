// SPDX-License-Identifier: Apache-2.0
// Channels, swings, restarts, stairs, rates: each alone, on series made for it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "verdict/channels.h"
#include "verdict/forecast.h"
#include "verdict/limits.h"
#include "verdict/rate.h"
#include "verdict/regimes.h"
#include "verdict/scale.h"
#include "verdict/staircase.h"
#include "verdict/swings.h"

namespace tidegauge::verdict {
namespace {

constexpr double kMegabyte = 1e6;

struct Made {
  BlockSeries series{};
  std::vector<Point> points{};
  std::vector<double> clock{};
  Track track() const { return {points, clock, {}}; }
};

// One sample a second; `floor` in megabytes.
Made made(int seconds, const std::function<double(double)>& megabytes) {
  Made out;
  std::mt19937_64 random(17);
  std::normal_distribution<double> normal;
  for (int t = 0; t < seconds; ++t) {
    out.series.add(t, (megabytes(t) + normal(random)) * kMegabyte);
  }
  out.points = out.series.points();
  for (const auto& point : out.points) out.clock.push_back(point.at);
  return out;
}

double spike_every(double t, double period, double length, double height) {
  return std::fmod(t, period) < length ? height : 0;
}

TEST(Channels, MinimaSeeBelowSpikesAndMeansDoNot) {
  const Made one = made(3600, [](double t) { return 1000 + spike_every(t, 100, 30, 500); });
  const auto last = one.points.size() - 1;
  const Curve low = read_channel(one.track(), 0, last, Channel::Minimum, 20);
  const Curve mean = read_channel(one.track(), 0, last, Channel::Mean, 20);
  ASSERT_EQ(low.size(), 20u);
  for (const double z : low.z) EXPECT_NEAR(z / kMegabyte, 997, 3);
  for (const double z : mean.z) EXPECT_NEAR(z / kMegabyte, 1150, 60);
}

TEST(Channels, ALoneSpikeIsPutBackAStepIsNot) {
  Curve curve;
  for (int i = 0; i < 20; ++i) {
    curve.x.push_back(i);
    curve.z.push_back((i % 2 == 0 ? 1.0 : 1.1) + (i == 7 ? 50 : 0) + (i >= 12 ? 30 : 0));
  }
  remove_lone_spikes(curve);
  EXPECT_LT(curve.z[7], 2);
  EXPECT_GT(curve.z[15], 30);
}

TEST(Swings, CountsPeaksAndMeasuresThem) {
  const Made one = made(6000, [](double t) { return 1000 + spike_every(t, 600, 60, 400); });
  const Scale scale = scale_of(one.points, one.series.quantum());
  const Swings swings = find_swings(one.points, scale.step_noise, one.series.swings());
  EXPECT_NEAR(static_cast<double>(swings.peaks.size()), 10, 1);
  EXPECT_NEAR(swings.height / kMegabyte, 400, 20);
  EXPECT_FALSE(swings.collected);
}

TEST(Swings, QuickOnesAreNoNoiseWhereItIsCalmBelow) {
  const auto quick_of = [](const Made& one) {
    const Scale scale = scale_of(one.points, one.series.quantum());
    const Swings slow = find_swings(one.points, scale.step_noise, one.series.swings());
    EXPECT_TRUE(slow.peaks.empty()) << "that quick";
    return find_quick_swings(one.points, slow, scale.noise_floor, one.series.swings());
  };
  // One second of every two or three, with the phase of a clock of its own.
  const Made spiky = made(76, [](double t) { return 15 + spike_every(t + 0.3, 2.3, 1.1, 200); });
  const Swings swings = quick_of(spiky);
  EXPECT_GT(swings.peaks.size(), 10u);
  EXPECT_NEAR(swings.height / kMegabyte, 200, 20);
  std::uint32_t state = 1;
  const Made noisy = made(76, [&](double) {
    state = state * 1664525 + 1013904223;
    return 100 + static_cast<double>(state >> 16) / 65536 * 100;
  });
  EXPECT_TRUE(quick_of(noisy).peaks.empty()) << "noise is noise";
}

TEST(Swings, KnowsACollectedHeapByItsTeeth) {
  const Made one = made(6000, [](double t) { return 500 + std::fmod(t, 300); });
  const Scale scale = scale_of(one.points, one.series.quantum());
  EXPECT_TRUE(find_swings(one.points, scale.step_noise, one.series.swings()).collected);
  EXPECT_TRUE(draws_teeth(one.series.swings(), 6000));
  const Made spiky = made(6000, [](double t) { return 500 + spike_every(t, 300, 20, 300); });
  EXPECT_FALSE(draws_teeth(spiky.series.swings(), 6000));
}

TEST(Regimes, ARestartIsADropThatStaysAndNoSpikesEnd) {
  const Made restarted =
      made(6000, [](double t) { return t < 3000 ? 1000 + t / 10 : 300 + (t - 3000) / 10; });
  const Regime found = find_regime(restarted.points, {});
  EXPECT_EQ(found.restarts, 1u);
  EXPECT_NEAR(restarted.points[found.begin].at, 3000, 30);
  EXPECT_NEAR(found.previous_slope / kMegabyte, 0.1, 0.01);
  const Made spiky = made(6000, [](double t) { return 500 + spike_every(t, 1500, 300, 700); });
  EXPECT_EQ(find_regime(spiky.points, {}).restarts, 0u);
}

TEST(Regimes, ADipBelowAllThatWasSeenIsARestartEvenIfItComesBack) {
  const Made back_again = made(
      6000, [](double t) { return t > 3000 && t < 3040 ? 300 : 1000 + std::fmod(t, 3000) / 20; });
  const Regime found = find_regime(back_again.points, {});
  EXPECT_EQ(found.restarts, 1u);
  EXPECT_NEAR(back_again.points[found.begin].at, 3000, 30);
  const Made slip = made(6000, [](double t) { return t == 3000 ? 0 : 1000 + t / 20; });
  EXPECT_EQ(find_regime(slip.points, {}).restarts, 0u);
}

TEST(Regimes, AFallAtTheVeryEndIsTheEnd) {
  const Made ended = made(6000, [](double t) { return t < 5980 ? 1000 + t / 10 : 300; });
  const Regime found = find_regime(ended.points, {});
  EXPECT_EQ(found.restarts, 0u);
  EXPECT_LE(ended.points[found.end - 1].at, 5980);
  EXPECT_GT(ended.points[found.end - 1].at, 5900);
}

TEST(Regimes, WhatIsMarkedNeedsNoDrop) {
  const Made one = made(1000, [](double) { return 500; });
  const std::vector<double> marked = {400};
  EXPECT_NEAR(one.points[find_regime(one.points, marked).begin].at, 400, 5);
}

EventTrack every(double period, double length, double until) {
  EventTrack out{.tie = Tie::Eval, .name = "eval"};
  for (double t = period; t < until; t += period) out.stretches.push_back({t, t + length, false});
  return out;
}

TEST(Staircase, ClimbsWithEachEvent) {
  const auto stairs = [](double t) {
    return 1000 + 20 * std::floor(t / 500) + spike_every(t, 500, 60, 200);
  };
  const Made one = made(6000, stairs);
  const Scale scale = scale_of(one.points, one.series.quantum());
  const auto found =
      find_staircase(one.points, every(500, 60, 6000), scale, one.series.block_width(), 1e-3);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->trend.slope / kMegabyte, 20, 1);
  EXPECT_NEAR(found->spacing, 500, 1);
  EXPECT_NEAR(found->events, 11, 1);
}

TEST(Staircase, ARampIsNoneAndNeitherAreStairsThatStopped) {
  const Made ramp = made(6000, [](double t) { return 1000 + t / 25; });
  const Scale scale = scale_of(ramp.points, ramp.series.quantum());
  EXPECT_FALSE(
      find_staircase(ramp.points, every(500, 60, 6000), scale, ramp.series.block_width(), 1e-3));
  const Made stopped =
      made(6000, [](double t) { return 1000 + 20 * std::floor(std::min(t, 2400.0) / 500); });
  EXPECT_FALSE(find_staircase(stopped.points, every(500, 60, 6000), scale,
                              stopped.series.block_width(), 1e-3));
}

TEST(Staircase, BeginsWhereAWarmUpHasEnded) {
  const Made one = made(6000, [](double t) {
    return 1000 + std::min(t, 1300.0) + 20 * std::floor(t / 500) + spike_every(t, 500, 60, 200);
  });
  const Scale scale = scale_of(one.points, one.series.quantum());
  const auto found =
      find_staircase(one.points, every(500, 60, 6000), scale, one.series.block_width(), 1e-3);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->trend.slope / kMegabyte, 20, 1);
  EXPECT_NEAR(found->began, 2000, 1);
  EXPECT_NEAR(found->events, 8, 0.1);
}

TEST(Staircase, WhereNobodySawItLieStillThereIsNone) {
  // Epochs so short that there is one point in each.
  const Made ramp = made(400, [](double t) { return 1000 + 5 * t; });
  const Scale scale = scale_of(ramp.points, ramp.series.quantum());
  EXPECT_FALSE(
      find_staircase(ramp.points, every(3, 0.1, 400), scale, ramp.series.block_width(), 1e-3));
}

TEST(Rate, CoversTheSlopeItWasMadeWith) {
  const Made one = made(3600, [](double t) { return 1000 + 0.01 * t; });
  const Scale scale = scale_of(one.points, one.series.quantum());
  const auto last = one.points.size() - 1;
  const Curve curve = read_channel(one.track(), 0, last, Channel::Mean, 40);
  const Trend trend = fit_trend(curve.x, curve.z, scale.noise_floor);
  const Interval rate = rate_of(one.track(), 0, last, trend, scale, false);
  EXPECT_LE(rate.low, 0.01 * kMegabyte);
  EXPECT_GE(rate.high, 0.01 * kMegabyte);
  EXPECT_LT(rate.high - rate.low, 0.005 * kMegabyte);
}

record::Sample sample_with(std::uint64_t available, std::uint64_t limit, std::uint64_t current) {
  record::Sample out;
  out.processes.push_back({.id = {10, 1}});
  out.machine = record::Machine{.total = 64u << 20, .available = available};
  record::Cgroup group;
  group.limit = limit;
  group.current = current;
  out.cgroups.push_back(group);
  return out;
}

TEST(Limits, TheOneThatIsReachedFirstBinds) {
  Limits limits;
  limits.add(sample_with(5000, 9000, 2000));
  EXPECT_EQ(limits.binding({}, Kind::Total, 1000)->kind, "ram");
  EXPECT_EQ(limits.binding({}, Kind::Total, 1000)->bytes, 6000);
  limits.add(sample_with(9000, 9000, 2000));
  EXPECT_EQ(limits.binding({}, Kind::Total, 1000)->kind, "cgroup");
  EXPECT_EQ(limits.binding({}, Kind::Total, 1000)->bytes, 8000);
  Rules rules;
  rules.limit_bytes = 5;
  EXPECT_EQ(limits.binding(rules, Kind::Total, 1000)->kind, "given");
  EXPECT_FALSE(Limits{}.binding({}, Kind::Total, 1000));
}

TEST(Forecast, TakesTheSpikesOffTheHeadroom) {
  Analysis analysis;
  analysis.level = 1000;
  analysis.rate = Interval{10, 8, 12};
  analysis.p_leak = 0.9;
  const auto without = forecast(analysis, {"given", 2000});
  ASSERT_TRUE(without);
  EXPECT_NEAR(without->p50, 100, 1e-9);
  EXPECT_LT(without->p5, without->p50);
  EXPECT_GT(without->p95, without->p50);
  analysis.spike_height = 500;
  EXPECT_NEAR(forecast(analysis, {"given", 2000})->p50, 50, 1e-9);
  analysis.plateau = 1200;
  EXPECT_FALSE(forecast(analysis, {"given", 2000})) << "it ends below the limit";
}

}  // namespace
}  // namespace tidegauge::verdict
