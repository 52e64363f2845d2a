// SPDX-License-Identifier: Apache-2.0
#include "proc/page_shares.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

double pages_in(const tidegauge::proc::KindPages& kind) {
  if (kind.share > kind.shared) std::abort();
  return kind.exclusive + kind.shared;
}

}  // namespace

// The input is dealt to three members of a family, entry by entry.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::proc;
  std::vector<std::vector<std::uint64_t>> blocks(3);
  double present = 0;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    std::uint64_t entry = 0;
    std::memcpy(&entry, data + at, sizeof entry);
    blocks[at / sizeof entry % blocks.size()].push_back(entry);
    present += static_cast<double>(entry >> 63);
  }
  double counted = 0;
  for (const auto& shares : share_pages(blocks, Backing::Shmem)) {
    counted += pages_in(shares.anon) + pages_in(shares.file) + pages_in(shares.shmem);
  }
  if (counted != present) std::abort();
  return 0;
}
