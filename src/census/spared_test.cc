// SPDX-License-Identifier: Apache-2.0
#include "census/spared.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "census/saved_pieces.h"

namespace tidegauge::census {
namespace {

constexpr Address kMiB = 1 << 20;

TEST(Spared, AreTheLargeGapsBetweenWhatIsKept) {
  constexpr Address kPage = 4096;
  const std::vector<Stretch> runs = {{0, 7 * kMiB}, {8 * kMiB, 9 * kMiB}, {16 * kMiB, 18 * kMiB}};
  const std::vector<Stretch> kept = {
      {kMiB, kMiB + 1}, {kMiB, kMiB + 2}, {9 * kMiB - 1, 9 * kMiB}, {16 * kMiB, 16 * kMiB + 1}};
  // On pages where a run is cut.
  EXPECT_EQ(
      gaps_between(runs, kept, kMiB),
      (std::vector<Stretch>{{kMiB + kPage, 7 * kMiB}, {16 * kMiB + kPage, 18 * kMiB}, {0, kMiB}}));
}

TEST(Spared, GapsWithLittleBetweenThemAreOneAndThatIsSaved) {
  const std::vector<Stretch> mappings = {{0, 8 * kMiB}, {8 * kMiB, 12 * kMiB}};
  const std::vector<Stretch> kept = {{kMiB + 10, kMiB + 20},        // little
                                     {kMiB + 100, kMiB + 200},      //
                                     {3 * kMiB, 3 * kMiB + 65536},  // much
                                     {8 * kMiB - 50, 8 * kMiB}};    // the end of a mapping
  const auto gaps = gaps_between(mappings, kept, kMiB / 2);
  ASSERT_EQ(gaps.size(), 4u);
  const auto sparing = join_over_little(gaps, kept, mappings);
  EXPECT_EQ(sparing.spared,
            (std::vector<Stretch>{
                {0, 3 * kMiB}, {3 * kMiB + 65536, 8 * kMiB - 4096}, {8 * kMiB, 12 * kMiB}}));
  EXPECT_EQ(sparing.saved, (std::vector<Stretch>{kept[0], kept[1]}));
}

// Whatever is kept and wherever: what is left out holds nothing of it but what is saved.
TEST(Spared, WhatIsKeptIsCopiedOrSaved) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Stretch> kept;
    const auto count = *rc::gen::inRange(0, 60);
    for (Address at = 0; kept.size() < static_cast<std::size_t>(count);) {
      const auto begin = at + *rc::gen::inRange<Address>(0, 3 * kMiB);
      at = begin + *rc::gen::inRange<Address>(1, *rc::gen::element<Address>(40'000, 4'000'000));
      kept.push_back({begin, at});
    }
    kept = joined(std::move(kept));
    std::vector<Stretch> mappings;  // that touch: what is kept may go across
    for (Address at = 0; at < 200 * kMiB; at += 5 * kMiB) mappings.push_back({at, at + 5 * kMiB});
    const auto sparing =
        join_over_little(gaps_between(mappings, kept, kSmallestSpared), kept, mappings);
    const StretchMap spared(sparing.spared);
    const StretchMap saved(sparing.saved);
    for (const auto& [begin, end] : kept) {
      const bool is_copied =
          spared.find(begin) == StretchMap::kNone && spared.find(end - 1) == StretchMap::kNone;
      RC_ASSERT(is_copied || saved.find(begin) != StretchMap::kNone);
    }
  }));
}

TEST(SavedPieces, ArePutWhereTheyBelong) {
  std::array<char, 4096> own;
  std::fill(own.begin(), own.end(), 'a');
  const auto at = reinterpret_cast<Address>(own.data());
  const Stretch nowhere{0x1000, 0x1010};
  const auto saved = SavedPieces::make_room({nowhere, {at + 10, at + 20}, {at + 4000, at + 4096}});
  ASSERT_TRUE(saved) << saved.error().what;
  saved->read_from(::getpid());
  std::fill(own.begin(), own.end(), 'b');
  const ProcessMemory live(::getpid());
  const PatchedMemory patched(live, *saved);
  std::string text(4096, ' ');
  ASSERT_TRUE(patched.read(at, std::as_writable_bytes(std::span(text))));
  EXPECT_EQ(text, std::string(10, 'b') + std::string(10, 'a') + std::string(3980, 'b') +
                      std::string(96, 'a'));
  EXPECT_EQ(patched.get<char>(at + 19), 'a');
  EXPECT_EQ(patched.get<char>(at + 20), 'b');
  EXPECT_FALSE(patched.get<char>(nowhere.begin)) << "it could not be read";
}

}  // namespace
}  // namespace tidegauge::census
