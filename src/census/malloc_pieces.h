// SPDX-License-Identifier: Apache-2.0
// How glibc's malloc has divided a stretch of memory.
#pragma once

#include <vector>

#include "census/memory.h"

namespace tidegauge::census {

// The pieces of a mapping that begins with one of malloc's: in large ones are tensors and pixels,
// in small ones what describes them. None where it does not begin so; from where it makes no sense
// any more, as when it is divided anew meanwhile, none either. Small ones that touch are one
// stretch, together with the words before the large one behind them.
struct MallocPieces {
  std::vector<Stretch> small{};
  std::vector<Stretch> large{};  // of at least `large` bytes
};
MallocPieces pieces_in(const Memory& memory, const Stretch& mapping, std::uint64_t large);

// The same of many mappings.
struct PieceMap {
  std::uint64_t large_bytes = 0;
  StretchMap small{};
  StretchMap large{};
};

// Whether malloc has given out a large piece that begins at this place of a mapping.
bool begins_large_piece(const Memory& memory, const Stretch& mapping, Address place,
                        std::uint64_t large);

}  // namespace tidegauge::census
