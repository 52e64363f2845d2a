// SPDX-License-Identifier: Apache-2.0
// The piles in a heap and who holds them, in words: many objects that are held in the same way are
// one line.
#pragma once

#include "census/heap.h"
#include "census/roots.h"
#include "secrets/shown.h"

namespace tidegauge::census {

struct Retainer {
  std::string path{};  // "train.main() local 'ds'.rows[*]['image']"
  Root::Kind root = Root::Kind::Module;
  std::string type{};
  std::uint64_t count = 0;
  std::uint64_t retained_bytes = 0;
};

struct Garbage {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct Holding {
  std::vector<Retainer> retainers{};              // largest first
  std::vector<std::uint64_t> retained_by_type{};  // by type id; nested ones counted once
  Garbage garbage{};  // held by nobody but itself: waits for the collector
};

Holding find_retainers(const Heap& heap, const std::vector<Root>& roots, secrets::Keys keys);

}  // namespace tidegauge::census
