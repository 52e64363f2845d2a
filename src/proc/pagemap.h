// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tidegauge::proc {

// One entry of /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst in the kernel's tree.
struct PagemapEntry {
  bool present = false;     // in memory
  bool exclusive = false;   // mapped here and nowhere else
  bool file = false;        // of a file or shmem; otherwise anonymous
  std::uint64_t frame = 0;  // 0: not ours to know

  bool operator==(const PagemapEntry&) const = default;
};

constexpr PagemapEntry decode_pagemap(std::uint64_t entry) {
  constexpr std::uint64_t kPresent = 1ull << 63;
  constexpr std::uint64_t kFile = 1ull << 61;
  constexpr std::uint64_t kExclusive = 1ull << 56;
  constexpr std::uint64_t kFrame = (1ull << 55) - 1;
  const bool present = (entry & kPresent) != 0;
  // Of a page that is swapped out the frame bits say where to.
  return {.present = present,
          .exclusive = present && (entry & kExclusive) != 0,
          .file = (entry & kFile) != 0,
          .frame = present ? entry & kFrame : 0};
}

}  // namespace tidegauge::proc
