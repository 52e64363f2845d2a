// SPDX-License-Identifier: Apache-2.0
// The kernel's PAGEMAP_SCAN: which pages of a process are of which kind. From its
// include/uapi/linux/fs.h, which the headers we build with are older than.
#pragma once

#include <sys/ioctl.h>

#include <cstdint>

namespace tidegauge {

struct PageRegion {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t categories = 0;
};

struct PagemapScan {
  std::uint64_t size = sizeof(PagemapScan);
  std::uint64_t flags = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t walk_end = 0;  // out: where it stopped
  std::uint64_t vec = 0;       // where regions are put
  std::uint64_t vec_len = 0;
  std::uint64_t max_pages = 0;
  std::uint64_t category_inverted = 0;
  std::uint64_t category_mask = 0;
  std::uint64_t category_anyof_mask = 0;
  std::uint64_t return_mask = 0;
};
inline constexpr unsigned long kPagemapScan = _IOWR('f', 16, PagemapScan);

// Categories.
inline constexpr std::uint64_t kPageIsPresent = 1 << 3;
inline constexpr std::uint64_t kPageIsHuge = 1 << 6;

}  // namespace tidegauge
