// SPDX-License-Identifier: Apache-2.0
#include "census/mimalloc.h"

#include <gtest/gtest.h>

#include "census/fake_memory.h"

namespace tidegauge::census {
namespace {

constexpr Address kSlice = 64 << 10;
constexpr Address kSlices = 264;  // where a segment describes its pages, 96 bytes each
constexpr std::uint32_t kBlock = 48;
constexpr std::uint32_t kFirst = 3 * kBlock;

// A segment of 16 slices: its description, a page of small blocks, a page of large ones.
class Segment {
 public:
  Segment() {
    put<std::uint64_t>(32, 16 * kSlice);
    put<std::uint64_t>(224, 16);  // slices
    put<std::uint64_t>(232, 1);   // of which so many are the description
    put<std::uint64_t>(248, 16);
    put_page(1, 1, 2, kBlock);
    put_page(2, 3, 2, 4096);
  }

  template <class T>
  void put(Address offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  void put_page(Address slice, std::uint32_t slices, unsigned tag, std::uint32_t block) {
    const auto at = kSlices + slice * 96;
    put<std::uint32_t>(at, slices);
    put<std::uint8_t>(at + 8, static_cast<std::uint8_t>(tag << 3 | 1));
    put<std::uint16_t>(at + 10, 10);  // blocks that were ever handed out
    put<std::uint16_t>(at + 12, 12);
    put<std::uint32_t>(at + 24, 5);
    put<std::uint32_t>(at + 28, block);
  }
  std::vector<MimallocPage> pages() const {
    return find_pages(memory(), {{.begin = kFakeStart - 4096,
                                  .end = kFakeStart + (1 << 20),
                                  .readable = true,
                                  .writable = true}});
  }
  FakeMemory memory() const { return FakeMemory(kFakeStart, bytes_); }
  std::span<const std::byte> page_bytes() const {
    return std::span(bytes_).subspan(kSlice, kSlice);
  }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 20);
};

TEST(Mimalloc, FindsPagesOfSmallBlocks) {
  const Segment segment;
  const auto pages = segment.pages();
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].begin, kFakeStart + kSlice);
  EXPECT_EQ(pages[0].block_bytes, kBlock);
  const auto state = read_page(segment.memory(), pages[0]);
  EXPECT_TRUE(state.holds_objects);
  EXPECT_EQ(state.pool.first, kFirst);
  EXPECT_EQ(state.pool.end, kFirst + 10 * kBlock);
}

TEST(Mimalloc, TellsMemoryFromObjects) {
  Segment segment;
  segment.put_page(1, 1, 0, kBlock);
  const auto pages = segment.pages();
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_FALSE(read_page(segment.memory(), pages[0]).holds_objects);
}

TEST(Mimalloc, FindsNothingWhereNothingIsSaid) {
  Segment segment;
  segment.put<std::uint64_t>(32, 5);
  EXPECT_TRUE(segment.pages().empty());
}

TEST(Mimalloc, APageThatHasBecomeAnotherIsNone) {
  Segment segment;
  const auto pages = segment.pages();
  ASSERT_EQ(pages.size(), 1U);
  segment.put_page(1, 1, 2, 24 << 10);
  EXPECT_EQ(read_page(segment.memory(), pages[0]).pool.block_bytes, 0U);
}

TEST(Mimalloc, FollowsFreeListsAndLeavesThemWhereTheyMakeNoSense) {
  Segment segment;
  const auto page = kFakeStart + kSlice;
  const auto block = [](Address number) { return kFirst + number * kBlock; };
  constexpr Address kDescribed = kSlices + 96;
  segment.put<Address>(kDescribed + 16, page + block(2));
  segment.put<Address>(kSlice + block(2), page + block(7));
  segment.put<Address>(kSlice + block(7), page + block(2));  // a circle
  segment.put<Address>(kDescribed + 32, page + block(4));
  segment.put<Address>(kSlice + block(4), page + block(4) + 8);  // no block
  segment.put<Address>(kDescribed + 40, (page + block(9)) | 1);  // with a mark
  segment.put<Address>(kSlice + block(9), page + block(10));     // never handed out
  FreeBlocks free;
  free.find(read_page(segment.memory(), segment.pages()[0]), page, segment.page_bytes());
  std::vector<Address> found;
  for (Address number = 0; number < 12; ++number) {
    if (free.has(static_cast<std::uint32_t>(block(number)))) found.push_back(number);
  }
  EXPECT_EQ(found, (std::vector<Address>{2, 4, 7, 9}));
  free.forget();
  EXPECT_FALSE(free.has(static_cast<std::uint32_t>(block(2))));
}

}  // namespace
}  // namespace tidegauge::census
