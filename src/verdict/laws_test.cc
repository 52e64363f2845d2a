// SPDX-License-Identifier: Apache-2.0
// What holds for every series: tried on many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "verdict/fake_recording.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {
namespace {

constexpr double kMegabyte = 1e6;

struct Series {
  std::vector<double> at{};
  std::vector<double> bytes{};
};

// Some program: a floor that stays, climbs, climbs and stops, bends or jumps; spikes or teeth on
// top; noise that forgets or lingers.
Series any_series(std::uint64_t seed) {
  std::mt19937_64 random(seed * 7919 + 13);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1.0p-53;
  };
  std::normal_distribution<double> normal;
  const double duration = 60 * std::exp(uniform(std::log(15.0), std::log(200.0)));
  const double spacing = duration / uniform(150, 1500);
  const double level = 500 * kMegabyte * std::exp(uniform(0, 3));
  const double growth = level * std::exp(uniform(std::log(0.02), std::log(1.0)));
  const auto shape = random() % 5;
  const double knee = uniform(0.05, 0.7);
  const double spike = random() % 2 == 0 ? 0 : level * uniform(0.05, 0.5);
  const double period = duration / uniform(5, 30);
  const bool teeth = random() % 3 == 0;
  const double noise = level * std::exp(uniform(std::log(3e-4), std::log(4e-3)));
  const double memory = random() % 2 == 0 ? 0 : uniform(0.5, 0.95);
  double lingering = 0;
  Series out;
  for (double t = 0; t < duration; t += spacing) {
    const double x = t / duration;
    double floor = level;
    if (shape == 1) floor += growth * x;
    if (shape == 2) floor += growth * std::min(1.0, x / knee);
    if (shape == 3) floor += growth * (1 - std::exp(-x / (knee / 3)));
    if (shape == 4) floor += growth * (x > knee ? 1 : 0);
    const double phase = std::fmod(t, period) / period;
    const double top = teeth ? spike * phase : (phase > 0.9 ? spike : 0);
    lingering = memory * lingering + noise * normal(random);
    out.at.push_back(t);
    out.bytes.push_back(std::max(kMegabyte, floor + top + lingering));
  }
  return out;
}

Verdict judged(const Series& series, const Rules& rules = {}) {
  FakeRecording recording;
  for (std::size_t i = 0; i < series.at.size(); ++i) {
    recording.column(series.at[i], series.bytes[i]);
  }
  return judge(recording.get(), rules).all.front();
}

bool bounded(Class klass) {
  return klass != Class::Leak && klass != Class::Undecided;
}

// One says leak, the other says there is none.
bool contradict(const Verdict& a, const Verdict& b) {
  return (a.klass == Class::Leak && bounded(b.klass)) ||
         (b.klass == Class::Leak && bounded(a.klass));
}

// Laws with a tolerance hold for nearly all series, not for all: the same ones are tried every
// time, so that a failure is news.
constexpr std::uint64_t kSeries = 120;

// A whole number below `below` that goes with the series.
int pick(std::uint64_t seed, int below) {
  return static_cast<int>(std::mt19937_64(seed + 99)() % static_cast<std::uint64_t>(below));
}

TEST(Laws, TheSameInputGivesTheSameOutput) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    const Verdict a = judged(series);
    const Verdict b = judged(series);
    EXPECT_TRUE(a.klass == b.klass);
    EXPECT_TRUE(a.p_leak == b.p_leak);
    EXPECT_TRUE(a.evidence == b.evidence);
  }
}

TEST(Laws, ItDoesNotMatterWhenItBegan) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    Series later = series;
    const double shift = 1 + pick(seed, 1'000'000);
    for (auto& at : later.at) at += shift;
    const Verdict a = judged(series);
    const Verdict b = judged(later);
    EXPECT_TRUE(a.klass == b.klass);
    EXPECT_TRUE(std::fabs(a.p_leak - b.p_leak) < 1e-2);
  }
}

TEST(Laws, ItDoesNotMatterHowLargeAByteIs) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    Series scaled = series;
    const double factor = std::exp2(1 + pick(seed, 7));
    for (auto& bytes : scaled.bytes) bytes *= factor;
    const Verdict a = judged(series);
    const Verdict b = judged(scaled);
    EXPECT_TRUE(a.klass == b.klass);
    EXPECT_TRUE(std::fabs(a.p_leak - b.p_leak) < 1e-2);
    if (a.bytes_per_minute) {
      EXPECT_TRUE(std::fabs(a.bytes_per_minute->value * factor - b.bytes_per_minute->value) <=
                  1e-3 * std::fabs(b.bytes_per_minute->value) + 1);
    }
  }
}

TEST(Laws, MemoryThatIsJustThereChangesNothing) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    Series raised = series;
    const double more = series.bytes.front() * (1 + pick(seed, 49)) / 100.0;
    for (auto& bytes : raised.bytes) bytes += more;
    const Verdict a = judged(series);
    const Verdict b = judged(raised);
    EXPECT_TRUE(!contradict(a, b));
    EXPECT_TRUE(std::fabs(a.p_leak - b.p_leak) < 0.35);
  }
}

TEST(Laws, LookingHalfAsOftenDoesNotTurnItRound) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    Series half;
    for (std::size_t i = 0; i < series.at.size(); i += 2) {
      half.at.push_back(series.at[i]);
      half.bytes.push_back(series.bytes[i]);
    }
    const Verdict a = judged(series);
    const Verdict b = judged(half);
    EXPECT_TRUE(!contradict(a, b));
  }
}

TEST(Laws, NumbersOfProcessesDoNotMatter) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series main = any_series(seed);
    const auto shift = 1 + pick(seed, 30'000);
    const auto tree = [&](pid_t first, bool swapped) {
      FakeRecording recording;
      const record::ProcessId job{first + (swapped ? 1 : 0), 5};
      const record::ProcessId worker{first + (swapped ? 0 : 1), 6};
      recording.process(job, "python", record::Role::Main);
      recording.process(worker, "worker", record::Role::LoaderWorker);
      for (std::size_t i = 0; i < main.at.size(); ++i) {
        recording.anon(main.at[i], {{job, main.bytes[i]}, {worker, 300 * kMegabyte}});
      }
      return judge(recording.get(), {});
    };
    const auto a = tree(100, false);
    const auto b = tree(100 + shift, true);
    EXPECT_TRUE(a.all.size() == b.all.size());
    for (std::size_t i = 0; i < a.all.size(); ++i) {
      EXPECT_TRUE(a.all[i].klass == b.all[i].klass);
      EXPECT_TRUE(a.all[i].p_leak == b.all[i].p_leak);
      EXPECT_TRUE(a.all[i].subject.role == b.all[i].subject.role);
    }
  }
}

TEST(Laws, MoreLeakNeverMeansLess) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    const double growth = series.bytes.front() * (1 + pick(seed, 39)) / 100.0;
    const auto leaking = [&](double amount) {
      Series out = series;
      for (std::size_t i = 0; i < out.at.size(); ++i) {
        out.bytes[i] += amount * out.at[i] / out.at.back();
      }
      return judged(out);
    };
    const Verdict a = leaking(growth);
    const Verdict b = leaking(2 * growth);
    EXPECT_TRUE(!(a.klass == Class::Leak && bounded(b.klass)));
    // In log odds: at the ends of the scale a step of a tree moves p by nothing.
    EXPECT_TRUE(b.p_leak > a.p_leak - 0.3);
  }
}

TEST(Laws, EveryVerdictIsWhole) {
  for (std::uint64_t seed = 0; seed < kSeries; ++seed) {
    SCOPED_TRACE(seed);
    const Series series = any_series(seed);
    Rules rules;
    rules.limit_bytes = 10 * series.bytes.front();
    const Verdict verdict = judged(series, rules);
    EXPECT_TRUE(verdict.p_leak >= 0 && verdict.p_leak <= 1);
    EXPECT_TRUE(verdict.confidence >= 0 && verdict.confidence <= 1);
    EXPECT_TRUE(!verdict.evidence.empty());
    EXPECT_TRUE((verdict.klass == Class::Undecided) == verdict.needs.has_value());
    // "Another 0.0 s will tell" would have told.
    EXPECT_TRUE(!verdict.needs || verdict.needs->seconds.value_or(1) > 0);
    if (verdict.klass == Class::Leak) {
      EXPECT_TRUE(verdict.bytes_per_minute && verdict.bytes_per_minute->value > 0);
      EXPECT_TRUE(verdict.forecast.has_value());
    }
    if (verdict.bytes_per_minute) {
      EXPECT_TRUE(verdict.bytes_per_minute->low <= verdict.bytes_per_minute->value);
      EXPECT_TRUE(verdict.bytes_per_minute->value <= verdict.bytes_per_minute->high);
      EXPECT_TRUE(std::isfinite(verdict.bytes_per_minute->high));
    }
    if (verdict.forecast) {
      EXPECT_TRUE(verdict.forecast->p5 <= verdict.forecast->p50);
      EXPECT_TRUE(verdict.forecast->p50 <= verdict.forecast->p95);
    }
  }
}

}  // namespace
}  // namespace tidegauge::verdict
