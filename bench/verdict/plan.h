// SPDX-License-Identifier: Apache-2.0
// What a run of the benchmark does: which classes, which seeds, and whether others are asked too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/outcome.h"
#include "bench/verdict/report.h"

namespace tidegauge::bench {

struct Options {
  bool quick = false;
  bool engine_only = false;
  std::vector<std::string> classes{};
  std::vector<std::string> suites{};
  std::uint64_t first_seed = 0;  // 0: test seeds, or development seeds with --quick
  std::size_t seeds = 0;         // per class of suite A; 0: as the mode has it
  unsigned threads = 2;
};

std::vector<Kind> chosen_kinds(const Options& options);

std::vector<Outcome> ask_engine_about(const std::vector<Kind>& kinds, const Options& options);

// Tunes the baselines on suite A's tuning seeds, asks them about fewer seeds of the same kinds, and
// returns their rows, suite by suite.
std::vector<Judged> ask_baselines_about(const std::vector<Kind>& kinds, const Options& options);

}  // namespace tidegauge::bench
