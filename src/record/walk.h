// SPDX-License-Identifier: Apache-2.0
// What one walk over a process's page tables says about each kind of its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "record/sample.h"

namespace tidegauge::record {

// The kinds that a walk tells apart, then what is resident without a kind (processes of which we
// know rss and pss alone).
enum WalkedKind : std::size_t { WalkedAnon, WalkedFile, WalkedShmem, WalkedUnsplit, kWalkedKinds };

struct WalkedPart {
  std::int64_t counter = 0;  // mapped: the cheap counter in the same sample
  std::int64_t share = 0;    // pss
  std::int64_t own = 0;      // mapped by nobody else, as well as it can be known
};
using Walk = std::array<std::optional<WalkedPart>, kWalkedKinds>;

// The resident counters by kind; what rss has beyond the kinds that are known is Unsplit.
std::array<Bytes, kWalkedKinds> resident_kinds(const Memory& memory);

// Empty parts if this sample has no walk. `sharers` is how many processes may share a page.
Walk walk_of(const Memory& memory, std::size_t sharers);

}  // namespace tidegauge::record
