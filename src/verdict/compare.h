// SPDX-License-Identifier: Apache-2.0
// Several ranks, hosts or runs of the same job side by side, lined up by step where all of them
// count steps: which one is different, and by how much. Runs that know steps only and runs that
// know seconds only have no clock in common; then verdicts alone are compared.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verdict/verdict.h"

namespace tidegauge::verdict {

// What there is to compare of one run: Gauge::outline() makes it.
struct Outline {
  struct Place {
    double seconds = 0;
    std::optional<double> step{};
    double floor_bytes = 0;  // lowest of the samples around it
  };
  std::string name{};
  bool counts_steps = false;  // `seconds` are steps
  std::vector<Place> places{};
  Verdict verdict{};
};

struct Comparison {
  enum class By { Step, Seconds };
  struct Row {
    double at = 0;                // step or seconds
    std::vector<double> bytes{};  // floor of each run there
  };
  std::optional<By> by{};                // none: the runs have no clock in common
  std::vector<Row> rows{};               // over the stretch that all runs have
  std::vector<std::size_t> different{};  // runs that stand out, worst first
  std::vector<std::string> sentences{};  // never empty
};

const char* id_of(Comparison::By value);  // "step", "seconds"

Comparison compare(std::span<const Outline> runs);

}  // namespace tidegauge::verdict
