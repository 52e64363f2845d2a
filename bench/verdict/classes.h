// SPDX-License-Identifier: Apache-2.0
// A class of series: a name, its truth, and the function that draws one of it. A suite is a table
// of these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/verdict/series.h"
#include "bench/verdict/sketch.h"

namespace tidegauge::bench {

// A set of verdict classes, as bits.
using ClassSet = unsigned;

template <class... Classes>
constexpr ClassSet any_of(Classes... classes) {
  return ((1u << static_cast<unsigned>(classes)) | ...);
}

constexpr bool contains(ClassSet set, verdict::Class klass) {
  return (set >> static_cast<unsigned>(klass)) & 1u;
}

struct SeriesClass {
  std::string_view name;
  Label label;
  // Verdicts that a person who knows the truth would call right.
  ClassSet accepted;
  void (*draw)(Sketch& sketch);
};

Series make_series(const SeriesClass& klass, std::uint64_t seed);

// Suite A: 15 leaks, 19 bounded and 3 undecidable classes.
std::span<const SeriesClass> suite_a_leaks();
std::span<const SeriesClass> suite_a_bounded();
std::span<const SeriesClass> suite_a_undecidable();

// The world as suite A does not have it.
std::span<const SeriesClass> world_leaks();
std::span<const SeriesClass> world_bounded();
std::span<const SeriesClass> world_trees();     // several processes; leaks and bounded
std::span<const SeriesClass> world_training();  // small jobs with a first pass and evaluations

}  // namespace tidegauge::bench
