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
  EXPECT_EQ(pieces_in(memory, mapping, kLarge).small,
            (std::vector<Stretch>{{kFakeStart, kFakeStart + 112},
                                  {kFakeStart + 8288, kFakeStart + 8352},
                                  {kFakeStart + 28816, kFakeStart + 28912}}));
  EXPECT_EQ(pieces_in(memory, mapping, kLarge).large,
            (std::vector<Stretch>{{kFakeStart + 96, kFakeStart + 8288},
                                  {kFakeStart + 8336, kFakeStart + 24720},
                                  {kFakeStart + 24720, kFakeStart + 28816}}));
}

TEST(MallocPieces, LargeOnesAreKnownByWhatIsBeforeAndBehindThem) {
  const auto memory = divided({64, 8192, 48, 16384, 32});
  const Stretch mapping{kFakeStart, kFakeStart + 24720};
  const auto begins = [&](Address offset) {
    return begins_large_piece(memory, mapping, kFakeStart + offset, kLarge);
  };
  EXPECT_TRUE(begins(64 + 16));
  EXPECT_TRUE(begins(64 + 8192 + 48 + 16));
  EXPECT_FALSE(begins(16)) << "small";
  EXPECT_FALSE(begins(64 + 32)) << "in the middle";
  EXPECT_FALSE(begins(0));
  EXPECT_FALSE(begins(24720));
}

TEST(MallocPieces, LargeOnesMayBeMappingsOfTheirOwn) {
  std::vector<char> large(4 << 20, 'x');  // beyond what malloc keeps in its heap at first
  const auto here = reinterpret_cast<Address>(large.data());
  const ProcessMemory memory(::getpid());
  const Stretch around{here - 16, here + large.size() + 8192};
  const auto word = memory.get<std::uint64_t>(here - 8).value_or(0);
  const bool is_mapped = (word & 2) != 0 && word - 2 > large.size() && (word - 2) % kLarge == 0;
  if (!is_mapped) GTEST_SKIP() << "it has another malloc";
  EXPECT_TRUE(begins_large_piece(memory, around, here, large.size()));
  EXPECT_FALSE(begins_large_piece(memory, around, here + 16, large.size()));
  EXPECT_FALSE(begins_large_piece(memory, {here - 16, here + 4096}, here, large.size()));
}

TEST(MallocPieces, AreNotLookedForBehindWhatMakesNoSense) {
  const auto memory = divided({64, 8192, 48, 24, 8192});
  const Stretch mapping{kFakeStart, kFakeStart + 20000};
  EXPECT_EQ(pieces_in(memory, mapping, kLarge).small,
            (std::vector<Stretch>{{kFakeStart, kFakeStart + 80},
                                  {kFakeStart + 8256, kFakeStart + 8304}}));
  EXPECT_TRUE(pieces_in(divided({}), mapping, kLarge).small.empty());
  EXPECT_TRUE(pieces_in(memory, {kFakeStart, kFakeStart + 8}, kLarge).small.empty());
}

// Our own heap: what malloc gave us is where it says.
TEST(MallocPieces, OfARealHeapAreFound) {
  const std::vector<char> some(1000, 'x');
  const auto here = reinterpret_cast<Address>(some.data());
  const auto regions = read_regions(::getpid());
  ASSERT_TRUE(regions);
  for (const auto& region : *regions) {
    if (!region.holds(here) || region.path != "[heap]") continue;
    const auto small =
        pieces_in(ProcessMemory(::getpid()), {region.begin, region.end}, 8 << 20).small;
    ASSERT_FALSE(small.empty());
    EXPECT_LE(small.front().begin, here);
    EXPECT_GE(small.back().end, here + some.size());
    return;
  }
  GTEST_SKIP() << "it has another malloc";
}

}  // namespace
}  // namespace tidegauge::census
