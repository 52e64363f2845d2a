// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::record {

struct UnmapWords {
  std::size_t bytes = 0;
  void operator()(std::uint64_t* words) const;
};
using SharedWords = std::unique_ptr<std::uint64_t[], UnmapWords>;

// Memory to share with a job: it exists from the first byte to the last and can neither shrink nor
// grow, so that nobody who writes there is ever killed by it. `name` is what /proc/PID/fd shows.
struct SealedMemory {
  UniqueFd fd{};
  SharedWords words{};
};
Result<SealedMemory> sealed_memory(const std::string& name, std::size_t bytes);

}  // namespace tidegauge::record
