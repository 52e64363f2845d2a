// SPDX-License-Identifier: Apache-2.0
// What is measured: every class of every suite, and the seeds that may be used for what.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/verdict/classes.h"

namespace tidegauge::bench {

enum class Suite {
  A,           // 37 classes
  Twins,       // of suite A, truth turned round
  Ramps,       // of equal steepness
  World,       // what suite A does not have
  Mechanisms,  // jobs made of causes
};
inline constexpr Suite kSuites[] = {Suite::A, Suite::Twins, Suite::Ramps, Suite::World,
                                    Suite::Mechanisms};
const char* id_of(Suite suite);

// Who may look at which seeds. Numbers in docs/accuracy.md come from Test alone.
enum class Seeds : std::uint64_t {
  Development = 1,     // to try things on
  Tuning = 100'001,    // thresholds, of the baselines too
  Training = 200'001,  // whatever is learned
  Test = 600'001,      // looked at when the work is done
};

// A class of any suite.
struct Kind {
  Suite suite;
  std::string name;
  ClassSet accepted = 0;  // 0: not said
  std::function<Series(std::uint64_t seed)> make;
};

std::vector<Kind> all_kinds();

}  // namespace tidegauge::bench
