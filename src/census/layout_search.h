// SPDX-License-Identifier: Apache-2.0
// A row of facts for a CPython that no known row fits: from the newest one before it, with what has
// moved searched for in the process itself.
#pragma once

#include <optional>
#include <span>

#include "census/layout.h"
#include "census/memory.h"

namespace tidegauge::census {

// `version` as CPython has it: 0x030e0af0. Nothing: all are newer.
std::optional<Layout> newest_before(std::span<const Layout> known, std::uint32_t version,
                                    bool free_threaded);

// Nothing where the build does not tell its first offsets (before 3.13), or where something was not
// found. `gc_collecting` is not searched for: 0.
std::optional<Layout> search_layout(const Memory& memory, Address runtime,
                                    std::span<const Layout> known);

}  // namespace tidegauge::census
