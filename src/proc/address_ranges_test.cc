// SPDX-License-Identifier: Apache-2.0
#include "proc/address_ranges.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::proc {
namespace {

TEST(Join, WhereBothHaveSomethingItIsTheMembersOfBoth) {
  const AddressRanges first = {{{10, 20}, Backing::File, 1}, {{30, 40}, Backing::Nothing, 1}};
  const AddressRanges second = {{{0, 5}, Backing::Nothing, 2}, {{15, 35}, Backing::Shmem, 2}};
  EXPECT_EQ(join(first, second), (AddressRanges{{{0, 5}, Backing::Nothing, 2},
                                                {{10, 15}, Backing::File, 1},
                                                {{15, 20}, Backing::File, 3},
                                                {{20, 30}, Backing::Shmem, 2},
                                                {{30, 35}, Backing::Nothing, 3},
                                                {{35, 40}, Backing::Nothing, 1}}));
}

AddressRanges any_ranges(std::uint32_t members) {
  const auto steps =
      *rc::gen::container<std::vector<unsigned char>>(rc::gen::inRange<unsigned char>(1, 9));
  AddressRanges ranges;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    at += steps[i] - 1u;  // may follow at once
    ranges.push_back({{at, at + steps[i + 1]}, Backing::Nothing, members});
    at += steps[i + 1];
  }
  return ranges;
}

std::uint32_t members_at(const AddressRanges& ranges, std::uint64_t address) {
  std::uint32_t members = 0;
  for (const auto& range : ranges) {
    if (range.extent.begin <= address && address < range.extent.end) members |= range.members;
  }
  return members;
}

TEST(Join, EveryAddressHasTheMembersThatItHadAndRangesStayInOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto first = any_ranges(1), second = any_ranges(2);
    const auto joined = join(first, second);
    for (std::uint64_t address = 0; address < 1000; ++address) {
      RC_ASSERT(members_at(joined, address) ==
                (members_at(first, address) | members_at(second, address)));
    }
    std::uint64_t last = 0;
    for (const auto& range : joined) {
      RC_ASSERT(range.extent.begin >= last && range.extent.end > range.extent.begin);
      last = range.extent.end;
    }
  }));
}

}  // namespace
}  // namespace tidegauge::proc
