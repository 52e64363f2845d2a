// SPDX-License-Identifier: Apache-2.0
// How glibc's malloc has divided a stretch of memory.
#pragma once

#include <vector>

#include "census/memory.h"

namespace tidegauge::census {

// Where the pieces of less than `large` bytes are in a mapping that begins with one of malloc's: in
// large ones are tensors and pixels, in small ones what describes them. Nothing where it does not
// begin so; from where it makes no sense any more, as when it is divided anew meanwhile, nothing
// either.
std::vector<Stretch> small_pieces(const Memory& memory, const Stretch& mapping,
                                  std::uint64_t large);

}  // namespace tidegauge::census
