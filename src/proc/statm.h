// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace tidegauge::proc {

// /proc/PID/statm: the cheapest file that tells a process's memory. In pages.
struct Statm {
  std::uint64_t size = 0;  // of the address space
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;  // of those: pages of files and shmem, so that the rest is anonymous

  bool operator==(const Statm&) const = default;
};

// The text of /proc/PID/statm. Opens nothing, so it can be fuzzed.
Result<Statm> parse_statm(std::string_view text);

}  // namespace tidegauge::proc
