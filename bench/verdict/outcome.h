// SPDX-License-Identifier: Apache-2.0
// What a judge said about one series: forty looks while it ran, one when it had ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/verdict/catalogue.h"
#include "bench/verdict/series.h"
#include "verdict/verdict.h"

namespace tidegauge::bench {

inline constexpr std::size_t kLooks = 40;  // per series, at equal distances, the last at its end

struct Look {
  double seconds = 0;
  verdict::Class klass = verdict::Class::Undecided;
  double p_leak = 0;  // for a baseline: its score
  bool settled = false;
  std::optional<double> needs_seconds{};  // "look again in": what an undecided look asks for
};

struct Outcome {
  Suite suite = Suite::A;
  std::string name{};
  std::uint64_t seed = 0;
  ClassSet accepted = 0;
  double duration_seconds = 0;
  double limit_bytes = 0;
  double ideal_z = 0;
  bool has_marks = false;  // or steps
  Truth truth{};
  std::vector<Look> looks{};   // as an alarm
  Look finished{};             // as a finished recording
  verdict::Verdict verdict{};  // of the finished recording; empty for a baseline
  bool member_named = false;   // the leaking member of a tree has a verdict of its own that says so
};

// Index of the last sample of each look.
std::vector<std::size_t> look_indices(const Series& series);

// The outcome's head: everything but what was said.
Outcome outcome_of(const Kind& kind, const Series& series);

// Lets the engine judge it.
Outcome ask_engine(const Kind& kind, const Series& series);

}  // namespace tidegauge::bench
