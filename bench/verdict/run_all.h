// SPDX-License-Identifier: Apache-2.0
// Work on several cores, with progress shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "bench/verdict/catalogue.h"

namespace tidegauge::bench {

struct Case {
  const Kind* kind = nullptr;
  std::uint64_t seed = 0;
};

// Calls work(0) … work(count-1), each once, on `threads` threads; progress goes to stderr.
void run_all(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace tidegauge::bench
