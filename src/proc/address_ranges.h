// SPDX-License-Identifier: Apache-2.0
// Where in its address space a process may have pages, and where several may.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proc/maps.h"

namespace tidegauge::proc {

struct Extent {  // of addresses, whole pages
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t bytes() const { return end - begin; }
  bool operator==(const Extent&) const = default;
};

struct AddressRange {
  Extent extent{};
  Backing backing = Backing::Nothing;
  std::uint32_t members = 0;  // a bit for each process that has it mapped

  bool operator==(const AddressRange&) const = default;
};
using AddressRanges = std::vector<AddressRange>;  // in order, without overlap

// Where both have something, it is the members' of both, and backed as the first says.
AddressRanges join(std::span<const AddressRange> first, std::span<const AddressRange> second);

}  // namespace tidegauge::proc
