// SPDX-License-Identifier: Apache-2.0
// train_verdict: learns how evidence is weighed, and writes src/verdict/model_table.cc.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>

#include "bench/verdict/train/emit.h"
#include "bench/verdict/train/rows.h"
#include "verdict/features.h"

namespace tidegauge::bench {
namespace {

int run(int argc, char** argv) {
  RowPlan plan{.first_seed = static_cast<std::uint64_t>(Seeds::Training), .seeds = 300};
  BoostRules rules;
  std::vector<std::string> left_out;
  std::string out;
  CLI::App app{"Learns the weights of the verdict engine from series whose truth is known."};
  app.add_option("--seeds", plan.seeds, "series per class, from the training seeds");
  app.add_option("--trees", rules.trees, "trees");
  app.add_option("--leaves", rules.leaves, "leaves a tree")->check(CLI::Range(2, 120));
  app.add_option("--without", left_out, "suite that is left out, to measure on it");
  app.add_option("--threads", plan.threads, "cores to use")->check(CLI::Range(1u, 64u));
  app.add_option("out", out, "the source file to write")->required();
  CLI11_PARSE(app, argc, argv);
  rules.threads = plan.threads;
  for (const auto& info : verdict::feature_infos()) rules.direction.push_back(info.direction);
  auto kinds = all_kinds();
  std::erase_if(kinds, [&](const Kind& kind) {
    return std::find(left_out.begin(), left_out.end(), id_of(kind.suite)) != left_out.end();
  });
  const Rows rows = make_rows(kinds, plan);
  fmt::print(stderr, "{} rows of {} features\n", rows.size(), rows.features);
  std::string how = fmt::format("train_verdict --seeds {} --trees {} --leaves {}", plan.seeds,
                                rules.trees, rules.leaves);
  for (const auto& suite : left_out) how += " --without " + suite;
  std::ofstream(out, std::ios::binary) << to_source(boost(rows, rules), how);
  return 0;
}

}  // namespace
}  // namespace tidegauge::bench

int main(int argc, char** argv) {
  try {
    return tidegauge::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "train_verdict: {}\n", error.what());
    return 1;
  }
}
