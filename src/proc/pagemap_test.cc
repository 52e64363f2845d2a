// SPDX-License-Identifier: Apache-2.0
#include "proc/pagemap.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace tidegauge::proc {
namespace {

constexpr std::uint64_t kPresent = 1ull << 63, kSwapped = 1ull << 62, kFile = 1ull << 61,
                        kExclusive = 1ull << 56, kSoftDirty = 1ull << 55;

TEST(DecodePagemap, KnowsTheDocumentedBits) {
  EXPECT_EQ(decode_pagemap(0), PagemapEntry{});
  EXPECT_EQ(decode_pagemap(kPresent | kExclusive | kSoftDirty | 0x1234),
            (PagemapEntry{true, true, false, 0x1234}));
  EXPECT_EQ(decode_pagemap(kPresent | kFile), (PagemapEntry{true, false, true, 0}));
  // Swapped out: the low bits are where to, not a frame.
  EXPECT_EQ(decode_pagemap(kSwapped | kExclusive | 0x99), (PagemapEntry{false, false, false, 0}));
}

TEST(CountPages, CountsEachPresentPageOnce) {
  const std::vector<std::uint64_t> entries = {
      0,        kPresent | kExclusive,         kPresent | kExclusive,
      kPresent, kPresent | kFile | kExclusive, kPresent | kFile,
      kSwapped};
  EXPECT_EQ(count_pages(entries), (PageCounts{2, 1, 1, 1}));
}

TEST(CountPages, TheSumIsWhatIsPresent) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint64_t>& entries) {
    std::uint64_t present = 0;
    for (const auto entry : entries) present += entry >> 63;
    const auto counts = count_pages(entries);
    RC_ASSERT(counts.exclusive_anon + counts.exclusive_file + counts.shared_anon +
                  counts.shared_file ==
              present);
  }));
}

}  // namespace
}  // namespace tidegauge::proc
