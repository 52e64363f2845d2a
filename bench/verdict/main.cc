// SPDX-License-Identifier: Apache-2.0
// bench_verdict: measures the verdict engine. See README.md beside this file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/outcome.h"
#include "bench/verdict/report.h"
#include "bench/verdict/run_all.h"
#include "bench/verdict/show.h"

namespace tidegauge::bench {
namespace {

struct Options {
  bool quick = false;
  std::vector<std::string> classes{};
  std::vector<std::string> suites{};
  std::uint64_t first_seed = 0;  // 0: test seeds, or development seeds with --quick
  std::size_t seeds = 0;         // per class of suite A; 0: as the mode has it
  unsigned threads = 2;
  std::string show{};  // CLASS:SEED
  std::string csv{};   // where to
};

constexpr std::size_t kQuickSeeds = 16;
constexpr std::size_t kFullSeeds = 200;  // 3,800 bounded series: enough to tell 0.1 % from 0.3 %

// How many seeds a class of this suite gets for each one of suite A. Twins are many classes, ramps
// are two.
double seeds_for(Suite suite) {
  switch (suite) {
    case Suite::A:
      return 1;
    case Suite::Twins:
      return 0.5;
    case Suite::Ramps:
      return 5;
    case Suite::World:
      return 0.5;
    case Suite::Mechanisms:
      return 5;
  }
  return 1;
}

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

std::vector<Case> chosen_cases(const std::vector<Kind>& kinds, const Options& options) {
  const auto first =
      options.first_seed > 0
          ? options.first_seed
          : static_cast<std::uint64_t>(options.quick ? Seeds::Development : Seeds::Test);
  const auto base = options.seeds > 0 ? options.seeds : (options.quick ? kQuickSeeds : kFullSeeds);
  std::vector<Case> cases;
  for (const auto& kind : kinds) {
    const auto count = std::max<std::size_t>(
        1, static_cast<std::size_t>(static_cast<double>(base) * seeds_for(kind.suite)));
    for (std::uint64_t seed = first; seed < first + count; ++seed) cases.push_back({&kind, seed});
  }
  return cases;
}

std::vector<Outcome> judge_all(const std::vector<Case>& cases, unsigned threads) {
  std::vector<Outcome> outcomes(cases.size());
  run_all(cases.size(), threads, [&](std::size_t i) {
    const auto& one = cases[i];
    outcomes[i] = ask_engine(*one.kind, one.kind->make(one.seed));
  });
  return outcomes;
}

void print_report(const std::vector<Outcome>& outcomes) {
  std::vector<Judged> rows;
  for (const auto suite : kSuites) {
    const auto chosen = of_suite(outcomes, suite);
    if (!chosen.empty()) rows.push_back({"tidegauge", suite, score_of(chosen)});
  }
  fmt::print("{}\n{}\n{}\n{}\n{}", class_table(outcomes), comparison_table(rows),
             interval_table(outcomes), reliability_table(outcomes), goal_table(outcomes));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

int show_one(const Options& options) {
  const auto colon = options.show.rfind(':');
  if (colon == std::string::npos) {
    fmt::print(stderr, "bench_verdict: --show wants CLASS:SEED\n");
    return 2;
  }
  const auto seed = std::stoull(options.show.substr(colon + 1));
  for (const auto& kind : all_kinds()) {
    if (kind.name != options.show.substr(0, colon)) continue;
    const auto series = kind.make(seed);
    if (!options.csv.empty()) {
      write_file(options.csv, to_csv(series));
      write_file(options.csv + ".markers", markers_to_csv(series));
    }
    const auto outcome = ask_engine(kind, series);
    fmt::print("{}", describe(series));
    for (const auto& look : outcome.looks)
      fmt::print("{:>8.1f} min  {:<10} {:.4f}\n", look.seconds / 60, verdict::id_of(look.klass),
                 look.p_leak);
    fmt::print("finished: {} {:.4f}\n", verdict::id_of(outcome.finished.klass),
               outcome.finished.p_leak);
    for (const auto& sentence : outcome.verdict.evidence) fmt::print("  {}\n", sentence);
    return 0;
  }
  fmt::print(stderr, "bench_verdict: no class {}; --list names them\n", options.show);
  return 2;
}

int run(int argc, char** argv) {
  Options options;
  bool list = false;
  CLI::App app{"Measures the verdict engine on series whose truth is known."};
  app.add_flag("--quick", options.quick, "development seeds, 16 a class: below a minute");
  app.add_option("--class", options.classes, "only this class (again for more)");
  app.add_option("--suite", options.suites, "only this suite: a, twins, ramps, world, mechanisms");
  app.add_option("--first-seed", options.first_seed, "first seed of each class");
  app.add_option("--seeds", options.seeds, "seeds per class of suite A");
  app.add_option("--threads", options.threads, "cores to use")->check(CLI::Range(1u, 64u));
  app.add_flag("--list", list, "name the classes");
  app.add_option("--show", options.show, "CLASS:SEED, look by look, with the evidence");
  app.add_option("--csv", options.csv, "with --show: also write the series and FILE.markers");
  CLI11_PARSE(app, argc, argv);
  if (list) {
    for (const auto& kind : all_kinds()) fmt::print("{:<6} {}\n", id_of(kind.suite), kind.name);
    return 0;
  }
  if (!options.show.empty()) return show_one(options);
  const auto kinds = chosen_kinds(options);
  print_report(judge_all(chosen_cases(kinds, options), options.threads));
  return 0;
}

}  // namespace
}  // namespace tidegauge::bench

int main(int argc, char** argv) {
  try {
    return tidegauge::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_verdict: {}\n", error.what());
    return 2;
  }
}
