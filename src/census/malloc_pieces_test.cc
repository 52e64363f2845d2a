// SPDX-License-Identifier: Apache-2.0
#include "census/malloc_pieces.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "census/fake_memory.h"
#include "census/regions.h"

#include <unistd.h>

namespace tidegauge::census {
namespace {

constexpr std::uint64_t kLarge = 4096;
constexpr std::uint64_t kInUse = 1;

// A mapping that is divided like this.
FakeMemory divided(const std::vector<std::uint64_t>& sizes) {
  std::vector<std::byte> bytes(1 << 20);
  std::size_t at = 0;
  for (const auto size : sizes) {
    const auto word = size | kInUse;
    std::memcpy(bytes.data() + at + 8, &word, sizeof word);
    at += size;
  }
  return {kFakeStart, bytes};
}

TEST(MallocPieces, SmallOnesLieBetweenLargeOnes) {
  const auto memory = divided({32, 64, 8192, 48, 16384, 4096, 96});
  const Stretch mapping{kFakeStart, kFakeStart + 28912};
  EXPECT_EQ(small_pieces(memory, mapping, kLarge),
            (std::vector<Stretch>{{kFakeStart, kFakeStart + 112},
                                  {kFakeStart + 8288, kFakeStart + 8352},
                                  {kFakeStart + 28816, kFakeStart + 28912}}));
}

TEST(MallocPieces, AreNotLookedForBehindWhatMakesNoSense) {
  const auto memory = divided({64, 8192, 48, 24, 8192});
  const Stretch mapping{kFakeStart, kFakeStart + 20000};
  EXPECT_EQ(small_pieces(memory, mapping, kLarge),
            (std::vector<Stretch>{{kFakeStart, kFakeStart + 80},
                                  {kFakeStart + 8256, kFakeStart + 8304}}));
  EXPECT_TRUE(small_pieces(divided({}), mapping, kLarge).empty());
  EXPECT_TRUE(small_pieces(memory, {kFakeStart, kFakeStart + 8}, kLarge).empty());
}

// Our own heap: what malloc gave us is where it says.
TEST(MallocPieces, OfARealHeapAreFound) {
  const std::vector<char> some(1000, 'x');
  const auto here = reinterpret_cast<Address>(some.data());
  const auto regions = read_regions(::getpid());
  ASSERT_TRUE(regions);
  for (const auto& region : *regions) {
    if (!region.holds(here) || region.path != "[heap]") continue;
    const auto small = small_pieces(ProcessMemory(::getpid()), {region.begin, region.end}, 8 << 20);
    ASSERT_FALSE(small.empty());
    EXPECT_LE(small.front().begin, here);
    EXPECT_GE(small.back().end, here + some.size());
    return;
  }
  GTEST_SKIP() << "it has another malloc";
}

}  // namespace
}  // namespace tidegauge::census
