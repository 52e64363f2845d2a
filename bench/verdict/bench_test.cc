// SPDX-License-Identifier: Apache-2.0
// The benchmark itself: the same series everywhere, truths that hold, scores that are right.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/feed.h"
#include "bench/verdict/outcome.h"
#include "bench/verdict/portable_math.h"
#include "bench/verdict/random.h"
#include "bench/verdict/score.h"
#include "bench/verdict/statistics.h"

namespace tidegauge::bench {
namespace {

TEST(PortableMath, AgreesWithTheLibraryToTheLastDigits) {
  Random random("math", 1);
  for (int i = 0; i < 10000; ++i) {
    const double x = random.uniform(-30, 30);
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-14);
    EXPECT_NEAR(portable_sin(x), std::sin(x), 1e-13);
    const double positive = random.uniform(1e-9, 1e6);
    EXPECT_NEAR(portable_log(positive), std::log(positive), 1e-13);
    EXPECT_NEAR(portable_pow(positive, 0.37) / std::pow(positive, 0.37), 1, 1e-13);
  }
}

// Fails where a compiler or machine computes otherwise: then no number of the benchmark can be
// compared with another machine's.
TEST(Random, TheStreamIsTheSameEverywhere) {
  Random random("golden", 7);
  EXPECT_EQ(random.bits(), 9072467460893285066u);
  EXPECT_EQ(random.uniform(), 0x1.4094b8ee74fdep-1);
  EXPECT_EQ(random.normal(), -0x1.2883ae9208b59p+0);
  EXPECT_EQ(random.exponential(3), 0x1.de28ed3db3462p+0);
  EXPECT_EQ(random.log_uniform(1, 1000), 0x1.028714595255cp+2);
}

TEST(Random, NormalNumbersAreNormal) {
  Random random("normal", 1);
  double sum = 0;
  double squares = 0;
  int beyond_two = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    if (std::fabs(x) > 2) ++beyond_two;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.01);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455, 0.002);
}

std::uint64_t checksum_of(const Series& series) {
  std::uint64_t hash = 1469598103934665603ull;
  const auto mix = [&](double value) {
    hash = (hash ^ static_cast<std::uint64_t>(std::llround(value))) * 1099511628211ull;
  };
  for (const double bytes : series.bytes) mix(bytes);
  for (const double seconds : series.seconds) mix(seconds * 1000);
  for (const double steps : series.steps) mix(steps);
  for (const auto& mark : series.marks) mix(mark.begin_seconds * 1000);
  return hash;
}

TEST(Series, EveryClassIsTheSameEverywhere) {
  std::map<Suite, std::uint64_t> checksums;
  for (const auto& kind : all_kinds()) checksums[kind.suite] ^= checksum_of(kind.make(1));
  EXPECT_EQ(checksums[Suite::A], 4717863765956707932u);
  EXPECT_EQ(checksums[Suite::Twins], 12781422493783835070u);
  EXPECT_EQ(checksums[Suite::Ramps], 758426156509335176u);
  EXPECT_EQ(checksums[Suite::World], 10824464320296155309u);
  EXPECT_EQ(checksums[Suite::Mechanisms], 15653284308791761032u);
}

TEST(Series, SamplesAreInOrderAndMarksInsideTheRun) {
  for (const auto& kind : all_kinds()) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto series = kind.make(seed);
      ASSERT_GE(series.seconds.size(), 2u) << kind.name;
      ASSERT_EQ(series.seconds.size(), series.bytes.size());
      for (std::size_t i = 1; i < series.seconds.size(); ++i)
        ASSERT_LT(series.seconds[i - 1], series.seconds[i]) << kind.name << " seed " << seed;
      for (const double bytes : series.bytes) ASSERT_GT(bytes, 0) << kind.name << " seed " << seed;
      double before = 0;
      for (const auto& mark : series.marks) {
        EXPECT_GE(mark.begin_seconds, before) << kind.name << " seed " << seed;
        EXPECT_GE(mark.end_seconds, mark.begin_seconds);
        before = mark.begin_seconds;
      }
    }
  }
}

TEST(Series, ALeakHasARateAndAnOnsetInsideTheRun) {
  for (const auto& kind : all_kinds()) {
    const auto series = kind.make(1);
    if (series.truth.label != Label::Leak) continue;
    const bool no_one_rate = kind.name == "leak_accelerating" || kind.name == "leak_suspended" ||
                             kind.name == "mechanism_leak";
    EXPECT_TRUE(no_one_rate || series.truth.bytes_per_minute > 0) << kind.name;
    EXPECT_LT(series.truth.onset_seconds, 0.8 * series.seconds.back()) << kind.name;
  }
}

TEST(Feed, GivesEverySampleOnceAndEntriesInOrderOfTime) {
  for (const auto& kind : all_kinds()) {
    const auto series = kind.make(2);
    Feed feed(series);
    std::size_t samples = 0;
    std::int64_t last = -1;
    for (const auto index : look_indices(series)) {
      for (const auto& entry : feed.until(index)) {
        const auto* sample = std::get_if<record::Sample>(&entry);
        if (!sample) continue;
        EXPECT_GT(sample->at_ns, last);
        last = sample->at_ns;
        ++samples;
      }
    }
    EXPECT_EQ(samples, series.seconds.size()) << kind.name;
  }
}

TEST(Statistics, AreaUnderCurve) {
  EXPECT_EQ(area_under_curve({2, 3}, {0, 1}), 1);
  EXPECT_EQ(area_under_curve({0, 1}, {2, 3}), 0);
  EXPECT_EQ(area_under_curve({1}, {1}), 0.5);
  EXPECT_EQ(area_under_curve({}, {1}), std::nullopt);
}

TEST(Statistics, FoundAtAFalseRateLetsNoMoreThroughThanAllowed) {
  const std::vector<double> negatives = {0.1, 0.2, 0.3, 0.9};
  EXPECT_EQ(found_at_false_rate({0.5, 0.95}, negatives, 0), 0.5);
  EXPECT_EQ(found_at_false_rate({0.5, 0.95}, negatives, 0.25), 1);
}

Outcome outcome(Label label, double onset, std::vector<Look> looks) {
  Outcome out;
  out.truth.label = label;
  out.truth.onset_seconds = onset;
  out.duration_seconds = 600;
  out.looks = std::move(looks);
  out.finished = out.looks.back();
  return out;
}

TEST(Score, ALeakCalledBeforeItBeganIsFalseAndNotFound) {
  using verdict::Class;
  const auto early = outcome(Label::Leak, 300, {{60, Class::Leak, .9}, {600, Class::Steady, .1}});
  const auto found = outcome(Label::Leak, 300, {{60, Class::Steady, .1}, {600, Class::Leak, .9}});
  const auto score = score_of({&early, &found});
  EXPECT_EQ(score.leaks_called_before_onset, 1u);
  EXPECT_EQ(score.leaks_found_at_some_look, 1u);
  EXPECT_EQ(score.delay_minutes, std::vector<double>{5});
  EXPECT_EQ(score.leaks.leak, 1u);
}

TEST(Score, ABoundedSeriesOnceCalledLeakIsEverFalse) {
  using verdict::Class;
  const auto once = outcome(Label::Bounded, 0, {{60, Class::Leak, .9}, {600, Class::Steady, .1}});
  const auto score = score_of({&once});
  EXPECT_EQ(score.bounded_ever_leak, 1u);
  EXPECT_EQ(score.bounded.leak, 0u);
  EXPECT_EQ(score.changes_of_mind, 2u);
}

TEST(Score, LookAgainIsAPromiseOnlyWhereTheTimeComes) {
  using verdict::Class;
  const auto kept = outcome(Label::Leak, 0,
                            {{60, Class::Undecided, .5, false, 100},
                             {120, Class::Undecided, .6, false, 1000},
                             {180, Class::Leak, .95}});
  const auto score = score_of({&kept});
  EXPECT_EQ(score.promises, 1u);  // the second asks for more than there is
  EXPECT_EQ(score.promises_decided, 1u);
  EXPECT_EQ(score.promises_right, 1u);
}

}  // namespace
}  // namespace tidegauge::bench
