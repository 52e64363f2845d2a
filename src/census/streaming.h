// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "census/arenas.h"
#include "census/types.h"

namespace tidegauge::census {

struct TypeCount {
  const TypeInfo* type = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct Tally {
  std::vector<TypeCount> types{};  // by type id
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;

  void add(const TypeInfo& type, std::uint64_t bytes);
};

// Counts every object in the arenas, arena by arena: nothing is stopped, and nothing is kept.
Tally count_live(const Memory& memory, const Layout& layout, const std::vector<Arena>& arenas,
                 TypeTable& types);

}  // namespace tidegauge::census
