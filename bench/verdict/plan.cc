// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/plan.h"

#include <algorithm>

#include "bench/verdict/run_all.h"
#include "bench/verdict/tuning.h"

namespace tidegauge::bench {
namespace {

constexpr std::size_t kQuickSeeds = 16;
constexpr std::size_t kFullSeeds = 200;  // 3,800 bounded series: enough to tell 0.1 % from 0.3 %
// A baseline's error rates are so large that fewer seeds tell them apart.
constexpr std::size_t kBaselineSeeds = 40;
constexpr std::size_t kTuningSeeds = 30;

// How many seeds a class of this suite gets for each one of suite A. Twins are many classes, ramps
// are two.
double seeds_for(Suite suite) {
  switch (suite) {
    case Suite::A:
      return 1;
    case Suite::Twins:
    case Suite::World:
      return 0.5;
    case Suite::Ramps:
    case Suite::Mechanisms:
      return 5;
  }
  return 1;
}

struct Case {
  const Kind* kind = nullptr;
  std::uint64_t seed = 0;
};

std::vector<Case> cases_of(const std::vector<Kind>& kinds, std::uint64_t first, std::size_t seeds) {
  std::vector<Case> cases;
  for (const auto& kind : kinds) {
    const auto count = std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(seeds) * seeds_for(kind.suite)));
    for (std::uint64_t seed = first; seed < first + count; ++seed) cases.push_back({&kind, seed});
  }
  return cases;
}

std::uint64_t first_seed(const Options& options) {
  if (options.first_seed > 0) return options.first_seed;
  return static_cast<std::uint64_t>(options.quick ? Seeds::Development : Seeds::Test);
}

std::vector<Scored> score_all(const std::vector<Case>& cases, unsigned threads) {
  std::vector<Scored> out(cases.size());
  run_all(cases.size(), threads, [&](std::size_t i) {
    out[i] = score_baselines(*cases[i].kind, cases[i].kind->make(cases[i].seed));
  });
  return out;
}

}  // namespace

std::vector<Kind> chosen_kinds(const Options& options) {
  auto kinds = all_kinds();
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  std::erase_if(kinds, [&](const Kind& kind) {
    return !among(options.classes, kind.name) || !among(options.suites, id_of(kind.suite));
  });
  return kinds;
}

std::vector<Outcome> ask_engine_about(const std::vector<Kind>& kinds, const Options& options) {
  const auto seeds = options.seeds > 0 ? options.seeds : options.quick ? kQuickSeeds : kFullSeeds;
  const auto cases = cases_of(kinds, first_seed(options), seeds);
  std::vector<Outcome> outcomes(cases.size());
  run_all(cases.size(), options.threads, [&](std::size_t i) {
    outcomes[i] = ask_engine(*cases[i].kind, cases[i].kind->make(cases[i].seed));
  });
  return outcomes;
}

std::vector<Judged> ask_baselines_about(const std::vector<Kind>& kinds, const Options& options) {
  const auto seeds = options.seeds > 0 ? std::min(options.seeds, kBaselineSeeds) : kBaselineSeeds;
  const auto suite_a = chosen_kinds({.suites = {id_of(Suite::A)}});
  const auto tuning = score_all(
      cases_of(suite_a, static_cast<std::uint64_t>(Seeds::Tuning), kTuningSeeds), options.threads);
  const auto test = score_all(cases_of(kinds, first_seed(options), seeds), options.threads);
  std::vector<std::vector<Outcome>> said(baselines().size());
  run_all(baselines().size(), options.threads, [&](std::size_t b) {
    const auto setting = best_setting(tuning, b);
    for (const auto& one : test) said[b].push_back(outcome_with(one, b, setting));
  });
  std::vector<Judged> rows;
  for (const auto suite : kSuites)
    for (std::size_t b = 0; b < said.size(); ++b) {
      const auto chosen = of_suite(said[b], suite);
      if (!chosen.empty())
        rows.push_back({std::string(baselines()[b].name), suite, score_of(chosen)});
    }
  return rows;
}

}  // namespace tidegauge::bench
