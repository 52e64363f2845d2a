// SPDX-License-Identifier: Apache-2.0
// Where CPython's own allocator keeps small objects: arenas of pools of blocks of one size.
#pragma once

#include <span>
#include <vector>

#include "census/locate.h"

namespace tidegauge::census {

using Arena = Stretch;

// By the signature of the table of arenas, which lies in the program's data: the same in every
// version, and proven by the pools that it leads to. From 3.12 on an interpreter besides the main
// one may have a table of its own, which it leads to. In order of address. Empty where CPython uses
// another allocator (PYTHONMALLOC).
std::vector<Arena> find_arenas(const Memory& memory, const Interpreter& python);

// A pool that has proved itself; blocks from `first` to `end`, of which the last may be cut off.
struct Pool {
  std::uint32_t block_bytes = 0;
  std::uint32_t first = 0;  // from the pool's start
  std::uint32_t end = 0;    // blocks behind it were never handed out
};
Pool read_pool(std::span<const std::byte> pool);  // block_bytes 0: this is none

// Of a pool that has proved itself before.
inline std::uint32_t proven_block_bytes(std::span<const std::byte> pool) {
  constexpr std::size_t kSizeClass = 36;
  constexpr std::uint32_t kBlockStep = 16;
  return (value_at<std::uint32_t>(pool, kSizeClass) + 1) * kBlockStep;
}

}  // namespace tidegauge::census
