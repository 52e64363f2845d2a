// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidegauge::proc {

// What stands behind the pages of a mapping that are not anonymous.
enum class Backing { Nothing, File, Shmem };

// One line of /proc/PID/maps.
struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Backing backing = Backing::Nothing;
  bool accessible = true;  // false: ---p, an address range kept free, without pages as a rule
  bool hugetlb = false;    // its pages count as hugetlb, not as resident

  bool operator==(const Mapping&) const = default;
};

// The text of /proc/PID/maps, mappings in ascending order. Lines that make no sense are left out.
std::vector<Mapping> parse_maps(std::string_view text);

}  // namespace tidegauge::proc
