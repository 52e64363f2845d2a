// SPDX-License-Identifier: Apache-2.0
// bench_verdict: measures the verdict engine. See README.md beside this file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench/verdict/cost.h"
#include "bench/verdict/curve.h"
#include "bench/verdict/goals.h"
#include "bench/verdict/plan.h"
#include "bench/verdict/report.h"
#include "bench/verdict/report_json.h"
#include "bench/verdict/show.h"

namespace tidegauge::bench {
namespace {

struct Outputs {
  std::string json{};
  std::string show{};  // CLASS:SEED
  std::string csv{};
  std::string looks{};
  bool list = false;
  bool no_cost = false;
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << text)) throw std::runtime_error("cannot write " + path);
}

int list_kinds() {
  for (const auto& kind : all_kinds()) fmt::print("{:<10} {}\n", id_of(kind.suite), kind.name);
  return 0;
}

int show_one(const Outputs& outputs) {
  const auto colon = outputs.show.rfind(':');
  const auto name = outputs.show.substr(0, colon);
  const auto kinds = chosen_kinds({.classes = {name}});
  if (colon == std::string::npos || kinds.empty()) {
    fmt::print(stderr, "bench_verdict: --show wants CLASS:SEED; --list names the classes\n");
    return 2;
  }
  const auto series = kinds[0].make(std::stoull(outputs.show.substr(colon + 1)));
  if (!outputs.csv.empty()) {
    write_file(outputs.csv, to_csv(series));
    write_file(outputs.csv + ".markers", markers_to_csv(series));
  }
  const auto outcome = ask_engine(kinds[0], series);
  fmt::print("{}", describe(series));
  for (const auto& look : outcome.looks)
    fmt::print("{:>8.1f} min  {:<10} {:.4f}\n", look.seconds / 60, verdict::id_of(look.klass),
               look.p_leak);
  fmt::print("finished: {} {:.4f}\n", verdict::id_of(outcome.finished.klass),
             outcome.finished.p_leak);
  for (const auto& sentence : outcome.verdict.evidence) fmt::print("  {}\n", sentence);
  return 0;
}

// The engine's row of a suite before the baselines' rows of it.
std::vector<Judged> all_rows(const std::vector<Outcome>& outcomes,
                             const std::vector<Judged>& baselines) {
  std::vector<Judged> rows;
  for (const auto suite : kSuites) {
    const auto chosen = of_suite(outcomes, suite);
    if (!chosen.empty()) rows.push_back({"tidegauge", suite, score_of(chosen)});
    std::copy_if(baselines.begin(), baselines.end(), std::back_inserter(rows),
                 [&](const Judged& row) { return row.suite == suite; });
  }
  return rows;
}

int measure(const Options& options, const Outputs& outputs) {
  const auto kinds = chosen_kinds(options);
  if (kinds.empty()) {
    fmt::print(stderr, "bench_verdict: no such class or suite; --list names them\n");
    return 2;
  }
  const auto outcomes = ask_engine_about(kinds, options);
  const auto baselines =
      options.engine_only ? std::vector<Judged>{} : ask_baselines_about(kinds, options);
  std::optional<Cost> cost;
  if (!outputs.no_cost) cost = measure_cost(kinds, 1);
  const auto rows = all_rows(outcomes, baselines);
  fmt::print("{}\n{}\n{}\n{}\n{}\n{}", class_table(outcomes), comparison_table(rows),
             interval_table(outcomes), reliability_table(outcomes), curve_table(outcomes),
             goal_table(goals_of(outcomes)));
  if (cost) fmt::print("\n{}", cost_table(*cost));
  if (!outputs.json.empty()) write_file(outputs.json, json_report(outcomes, rows, cost));
  if (!outputs.looks.empty()) write_file(outputs.looks, looks_csv(outcomes));
  return 0;
}

int run(int argc, char** argv) {
  Options options;
  Outputs outputs;
  CLI::App app{"Measures the verdict engine on series whose truth is known."};
  app.add_flag("--quick", options.quick,
               "suite A, twins and ramps, 16 development seeds a class, engine only");
  app.add_flag("--engine-only", options.engine_only, "leave the baselines out");
  app.add_option("--class", options.classes, "only this class (again for more)");
  app.add_option("--suite", options.suites, "only this suite: a, twins, ramps, world, mechanisms");
  app.add_option("--first-seed", options.first_seed, "first seed of each class");
  app.add_option("--seeds", options.seeds, "seeds per class of suite A");
  app.add_option("--threads", options.threads, "cores to use")->check(CLI::Range(1u, 64u));
  app.add_option("--json", outputs.json, "also write all numbers to this file");
  app.add_option("--looks", outputs.looks,
                 "also write every look of every series to this CSV file");
  app.add_flag("--no-cost", outputs.no_cost, "only numbers that are the same on every machine");
  app.add_flag("--list", outputs.list, "name the classes");
  app.add_option("--show", outputs.show, "CLASS:SEED, look by look, with the evidence");
  app.add_option("--csv", outputs.csv, "with --show: also write the series, and FILE.markers");
  CLI11_PARSE(app, argc, argv);
  if (outputs.list) return list_kinds();
  if (!outputs.show.empty()) return show_one(outputs);
  if (options.quick) {
    options.engine_only = true;
    if (options.classes.empty() && options.suites.empty())
      options.suites = {id_of(Suite::A), id_of(Suite::Twins), id_of(Suite::Ramps)};
  }
  return measure(options, outputs);
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
