// SPDX-License-Identifier: Apache-2.0
// Where a free-threaded CPython keeps small objects: mimalloc's pages of 64 KiB, of blocks of one
// size. They lie in segments of 32 MiB, each of which begins with a description of its pages.
#pragma once

#include <array>
#include <bitset>
#include <span>
#include <vector>

#include "census/arenas.h"
#include "census/regions.h"

namespace tidegauge::census {

// With blocks of at most 512 bytes, as CPython's own pools have them: what is larger is found by
// the words that point to it.
struct MimallocPage {
  Address begin = 0;
  Address said_at = 0;  // what it is, in the segment's description
  std::uint32_t block_bytes = 0;

  static constexpr std::uint32_t kBytes = 64 << 10;
};

// Of all threads, also of those that have ended: a segment proves itself by its description. In
// order of address.
std::vector<MimallocPage> find_pages(const Memory& memory, const std::vector<Region>& regions);

// Where any CPython keeps small objects.
struct Places {
  std::vector<Arena> arenas{};
  std::vector<MimallocPage> pages{};  // what the arenas are, in a free-threaded build
};
Places find_places(const Memory& memory, const Interpreter& python,
                   const std::vector<Region>& regions);

// What is said of a page at this moment.
struct PageState {
  Pool pool{};  // block_bytes 0: it is no such page any more
  bool holds_objects = false;
  std::array<Address, 3> free_lists{};
};
PageState read_page(const Memory& memory, const MimallocPage& page);

// The blocks of a page that nobody has, by their offsets in it.
class FreeBlocks {
 public:
  // Follows the lists through the page's bytes, as far as they make sense.
  void find(const PageState& state, Address begin, std::span<const std::byte> bytes);
  void forget();
  bool has(std::uint32_t offset) const { return any_ && free_[offset / kGranule]; }

 private:
  static constexpr std::uint32_t kGranule = 8;  // the smallest block
  bool any_ = false;
  std::bitset<MimallocPage::kBytes / kGranule> free_{};
};

}  // namespace tidegauge::census
