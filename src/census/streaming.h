// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "census/malloc_pieces.h"
#include "census/objects.h"
#include "census/regions.h"

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

  std::uint64_t hidden_objects = 0;  // counted as bytes objects, but part of bytearrays
  std::uint64_t hidden_bytes = 0;

  void add(const ObjectView& object, std::uint64_t bytes, const Layout& layout);
  void add(const Tally& other);
  void leave_out_hidden();
};

// Where a process that runs on is read; `memory` by several threads at once.
struct LiveSource {
  const Memory& memory;
  const Layout& layout;
  const std::vector<Arena>& arenas;
  const std::vector<Region>& regions;
  std::size_t threads = 1;
  std::span<const MimallocPage> pages{};  // what the arenas are, where they are mimalloc's
};

// Counts every object in the arenas, and those outside that are pointed to: nothing is stopped, and
// no more is kept than where the latter are.
Tally count_live(const LiveSource& source, TypeTable& types);

// Where the arenas' words point to beside the arenas, and the large tables of containers there:
// everything that a snapshot may want to read of a process's other memory, in order of address.
std::vector<Stretch> places_pointed_to(const LiveSource& source, TypeTable& types,
                                       const PieceMap& pieces);

}  // namespace tidegauge::census
