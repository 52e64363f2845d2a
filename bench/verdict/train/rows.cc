// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/train/rows.h"

#include <algorithm>
#include <random>

#include "bench/verdict/feed.h"
#include "bench/verdict/outcome.h"
#include "bench/verdict/run_all.h"
#include "bench/verdict/twins.h"
#include "verdict/features.h"

namespace tidegauge::bench {

namespace {

// Ramps are two classes and mechanisms are two, where suite A is 37.
std::size_t seeds_of(Suite suite, std::size_t seeds) {
  switch (suite) {
    case Suite::Ramps:
      return 10 * seeds;
    case Suite::Mechanisms:
      return 25 * seeds;
    default:
      return seeds;
  }
}

std::vector<std::size_t> chosen_looks(const Series& series, std::size_t random_looks) {
  const auto all = look_indices(series);
  std::mt19937_64 random(series.seed * 977 + series.seconds.size());
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < random_looks; ++i) out.push_back(all[random() % all.size()]);
  out.push_back(all.back());
  std::sort(out.begin(), out.end());
  return out;
}

constexpr std::uint64_t kTwinEvery = 2;
constexpr std::uint64_t kSparseEvery = 6;

void keep_few_samples(Series& series) {
  std::mt19937_64 random(series.seed);
  const std::size_t wanted = 12 + random() % 50;
  const std::size_t stride = std::max<std::size_t>(1, series.seconds.size() / wanted);
  const auto thin = [&](std::vector<double>& values) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values.size(); i += stride) values[kept++] = values[i];
    values.resize(kept);
  };
  thin(series.seconds);
  thin(series.bytes);
  thin(series.steps);
  thin(series.distinct);
  for (auto& member : series.members) thin(member.bytes);
}

Series vary(Series series, Suite suite) {
  const bool bounded = series.truth.label == Label::Bounded;
  if (suite == Suite::World && bounded && series.members.empty() && series.seed % kTwinEvery == 0) {
    put_leak_on(series);
  }
  if (series.seed % kSparseEvery == 0) keep_few_samples(series);
  return series;
}

struct Seen {
  std::vector<float> features{};
  float truth = 0;
  bool either = false;  // nobody can tell
};

std::vector<Seen> look_at(const Series& series, std::size_t random_looks) {
  verdict::Gauge gauge(rules_of(series, verdict::Rules::Mode::Finished));
  gauge.begin(header_of(series));
  Feed feed(series);
  std::vector<Seen> out;
  for (const auto index : chosen_looks(series, random_looks)) {
    for (const auto& entry : feed.until(index)) gauge.add(entry);
    Seen seen{.features = gauge.features()};
    if (seen.features.empty()) continue;
    const auto& truth = series.truth;
    seen.either = truth.label == Label::Undecidable;
    seen.truth =
        truth.label == Label::Leak && series.seconds[index] >= truth.onset_seconds ? 1.0F : 0.0F;
    out.push_back(std::move(seen));
  }
  return out;
}

}  // namespace

Rows make_rows(const std::vector<Kind>& kinds, const RowPlan& plan) {
  std::vector<Case> cases;
  for (const auto& kind : kinds) {
    const auto count = seeds_of(kind.suite, plan.seeds);
    for (std::size_t i = 0; i < count; ++i) cases.push_back({&kind, plan.first_seed + i});
  }
  std::vector<std::vector<Seen>> seen(cases.size());
  run_all(cases.size(), plan.threads, [&](std::size_t i) {
    const Kind& kind = *cases[i].kind;
    seen[i] = look_at(vary(kind.make(cases[i].seed), kind.suite), plan.random_looks);
  });
  Rows rows{.features = verdict::feature_infos().size()};
  for (const auto& looks : seen) {
    for (const auto& look : looks) {
      if (look.either) {
        rows.add(look.features, 0, 0.5F);
        rows.add(look.features, 1, 0.5F);
      } else {
        rows.add(look.features, look.truth, 1);
      }
    }
  }
  return rows;
}

}  // namespace tidegauge::bench
