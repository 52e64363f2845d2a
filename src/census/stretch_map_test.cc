// SPDX-License-Identifier: Apache-2.0
#include "census/stretch_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "census/address_book.h"
#include "census/large_objects.h"
#include "census/object_index.h"

namespace tidegauge::census {
namespace {

constexpr Address kPage = 4096;

// Stretches at random places, some of which touch or overlap.
std::vector<Stretch> any_stretches() {
  const auto page = rc::gen::inRange<Address>(1, 1 << 16);
  const auto pairs = *rc::gen::container<std::vector<std::pair<Address, Address>>>(
      rc::gen::pair(page, rc::gen::inRange<Address>(1, 600)));
  std::vector<Stretch> stretches;
  for (const auto& [first, pages] : pairs) {
    // Some low, as in a program at a fixed address, most as high as libraries lie.
    const Address base = first % 3 == 0 ? 0 : 0x7f0000000000;
    stretches.push_back({base + first * kPage, base + (first + pages) * kPage});
  }
  return stretches;
}

TEST(StretchMapLaws, FindsWhatASearchFinds) {
  EXPECT_TRUE(rc::check([] {
    const StretchMap map(any_stretches());
    const auto& all = map.all();
    for (std::size_t i = 1; i < all.size(); ++i) RC_ASSERT(all[i - 1].end <= all[i].begin);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      RC_ASSERT(map.find(all[i].begin) == i);
      RC_ASSERT(map.find(all[i].end - 1) == i);
      const auto behind = map.find(all[i].end);
      RC_ASSERT(behind == StretchMap::kNone || behind == i + 1);
    }
    RC_ASSERT(map.find(0) == StretchMap::kNone);
    RC_ASSERT(map.find(~Address(0)) == StretchMap::kNone);
  }));
}

TEST(ObjectIndexLaws, NumbersInOrderOfAddressAndBack) {
  EXPECT_TRUE(rc::check([] {
    const StretchMap arenas(any_stretches());
    ObjectIndex index(arenas);
    std::vector<Address> marked;
    for (std::size_t arena = 0; arena < arenas.all().size(); ++arena) {
      const auto granules = (arenas.all()[arena].end - arenas.all()[arena].begin) / 16;
      for (const auto at :
           *rc::gen::container<std::set<Address>>(rc::gen::inRange<Address>(0, granules))) {
        marked.push_back(arenas.all()[arena].begin + at * 16);
        index.mark(arena, marked.back());
      }
    }
    RC_ASSERT(index.number() == marked.size());
    std::vector<Address> told;
    for (std::size_t arena = 0; arena < arenas.all().size(); ++arena) {
      index.for_each(arena, [&](Address object) { told.push_back(object); });
    }
    RC_ASSERT(told == marked);
    for (Node node = 0; node < marked.size(); ++node) {
      RC_ASSERT(index.address(node) == marked[node]);
      RC_ASSERT(index.find(marked[node]) == node);
      RC_ASSERT(index.find(marked[node] + 8) == kNoNode);
    }
  }));
}

TEST(AddressBookLaws, NumbersEachAddressOnce) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& words) {
    AddressBook book;
    for (const auto word : words) book.number_of(word * 8ULL, word % 2 == 1);
    std::set<Address> unique;
    for (const auto word : words) unique.insert(word * 8ULL);
    RC_ASSERT(book.all().size() == unique.size());
    for (std::uint32_t number = 0; number < book.all().size(); ++number) {
      RC_ASSERT(book.number_of(book.all()[number].address, false) == number);
    }
  }));
}

TEST(BesideArenas, IsWhatCanBeWrittenToWithoutThem) {
  const std::vector<Region> regions = {
      {.begin = 0x10000, .end = 0x20000, .readable = true},
      {.begin = 0x100000, .end = 0x900000, .readable = true, .writable = true},
      {.begin = 0xa00000, .end = 0xb00000, .readable = true, .writable = true}};
  const auto beside = beside_arenas(regions, {{0x200000, 0x300000}, {0x800000, 0x900000}});
  ASSERT_EQ(beside.size(), 3U);
  EXPECT_EQ(beside[0].begin, 0x100000U);
  EXPECT_EQ(beside[0].end, 0x200000U);
  EXPECT_EQ(beside[1].begin, 0x300000U);
  EXPECT_EQ(beside[1].end, 0x800000U);
  EXPECT_EQ(beside[2].end, 0xb00000U);
}

}  // namespace
}  // namespace tidegauge::census
