// SPDX-License-Identifier: Apache-2.0
#include "proc/pagemap.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

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

TEST(DecodePagemap, OnlyWhatIsPresentHasAFrameOrAnOwner) {
  EXPECT_TRUE(rc::check([](std::uint64_t raw) {
    const auto entry = decode_pagemap(raw);
    RC_ASSERT(entry.present == (raw >> 63 == 1));
    RC_ASSERT(entry.present || (entry.frame == 0 && !entry.exclusive));
  }));
}

}  // namespace
}  // namespace tidegauge::proc
