// SPDX-License-Identifier: Apache-2.0
// The engine on a handful of easy series: if these go wrong, the benchmark need not be run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/outcome.h"

namespace tidegauge::bench {
namespace {

Kind kind_named(const std::string& name) {
  const auto kinds = all_kinds();
  return *std::find_if(kinds.begin(), kinds.end(),
                       [&](const Kind& kind) { return kind.name == name; });
}

class Easy : public testing::TestWithParam<const char*> {};

TEST_P(Easy, IsCalledWhatItIs) {
  const auto kind = kind_named(GetParam());
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto outcome = ask_engine(kind, kind.make(seed));
    EXPECT_TRUE(contains(outcome.accepted, outcome.finished.klass))
        << "seed " << seed << ": " << verdict::id_of(outcome.finished.klass);
    for (const auto& look : outcome.looks) {
      const bool leaking = outcome.truth.label == Label::Leak;
      EXPECT_TRUE(leaking || look.klass != verdict::Class::Leak)
          << "seed " << seed << " at " << look.seconds << " s";
      EXPECT_TRUE(look.p_leak >= 0 && look.p_leak <= 1);
    }
    EXPECT_FALSE(outcome.verdict.evidence.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Series, Easy,
                         testing::Values("plateau_leak", "leak_step", "flat", "warm_epoch", "saw",
                                         "ramp_unfin_epoch", "too_short"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace tidegauge::bench
