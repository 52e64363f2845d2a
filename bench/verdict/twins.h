// SPDX-License-Identifier: Apache-2.0
// Counterfactual twins: series that take away what gives a class away without being evidence.
#pragma once

#include <cstdint>
#include <optional>

#include "bench/verdict/classes.h"

namespace tidegauge::bench {

// A series of suite A with its truth turned round: a leak class without its leak, or a bounded one
// with a leak on top, noise, length and marks unchanged. A judge that knows classes by those, not
// by growth, fails here. Nothing for classes where that makes no sense (restarts, quantised,
// undecidable, and leaks that are drawn as stairs).
std::optional<Series> make_twin(const SeriesClass& klass, std::uint64_t seed);
bool has_twin(const SeriesClass& klass);

// The same for any bounded series of single processes: a leak is put on top of it.
void put_leak_on(Series& series);

}  // namespace tidegauge::bench
