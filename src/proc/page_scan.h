// SPDX-License-Identifier: Apache-2.0
// The ioctl PAGEMAP_SCAN (Linux 6.7): finds pages by kind, three times faster than reading entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "proc/turns.h"

namespace tidegauge::proc {

struct Extent {  // of addresses, whole pages
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool operator==(const Extent&) const = default;
};

// Where in `within` pages are in memory. Gaps below `join_bytes` are not told. Unsupported: the
// kernel does not have it.
Result<std::vector<Extent>> present_extents(int pagemap, const Extent& within,
                                            std::uint64_t join_bytes, Turns& turns);

// The share of the pages in memory that are part of huge ones; nothing where none is in memory or
// the kernel cannot tell.
std::optional<double> huge_share(int pagemap, const Extent& within);

}  // namespace tidegauge::proc
