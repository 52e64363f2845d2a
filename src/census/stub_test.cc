// SPDX-License-Identifier: Apache-2.0
#include "census/stub.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tidegauge::census {
namespace {

user_regs_struct registers_of(long call, long result) {
  user_regs_struct registers{};
  registers.rip = 0x1000;
  registers.orig_rax = static_cast<unsigned long long>(call);
  registers.rax = static_cast<unsigned long long>(result);
  return registers;
}

TEST(WhereItGoesOn, IsWhereItWas) {
  EXPECT_EQ(where_it_goes_on(registers_of(-1, 7)), (GoingOn{0x1000, 7}));
  EXPECT_EQ(where_it_goes_on(registers_of(SYS_read, 7)), (GoingOn{0x1000, 7}));
  // Such a number in a program's own register is only a number.
  EXPECT_EQ(where_it_goes_on(registers_of(-1, -512)),
            (GoingOn{0x1000, static_cast<std::uint64_t>(-512)}));
  // What has been interrupted for good.
  EXPECT_EQ(where_it_goes_on(registers_of(SYS_epoll_wait, -4)),
            (GoingOn{0x1000, static_cast<std::uint64_t>(-4)}));
}

TEST(WhereItGoesOn, IsBeforeACallThatHasToBeginAgain) {
  for (const long result : {-512L, -513L, -514L}) {
    EXPECT_EQ(where_it_goes_on(registers_of(SYS_futex, result)), (GoingOn{0xffe, SYS_futex}));
  }
  EXPECT_EQ(where_it_goes_on(registers_of(SYS_nanosleep, -516)),
            (GoingOn{0xffe, SYS_restart_syscall}));
}

TEST(Stub, LiesInZerosAtTheEnd) {
  std::vector<std::byte> page(4096);
  const auto size = stub::code().size();
  EXPECT_LT(size, 512U);
  EXPECT_EQ(stub::room_in(page), 16U);
  page[1000] = std::byte{1};
  EXPECT_EQ(stub::room_in(page), 1024U);  // and some zeros are left alone
  page[4096 - size - 16] = std::byte{1};
  EXPECT_EQ(stub::room_in(page), std::nullopt);
}

TEST(Stub, IsFoundAgainWhateverRegistersAreKeptInIt) {
  std::vector<std::byte> page(4096);
  const auto at = page.begin() + 2048;
  std::copy(stub::code().begin(), stub::code().end(), at);
  EXPECT_EQ(stub::room_in(page), 2048U);
  page[2048 + stub::offsets().registers] = std::byte{1};
  page.back() = std::byte{1};
  EXPECT_EQ(stub::room_in(page), 2048U);
  page[2048] = std::byte{};
  EXPECT_EQ(stub::room_in(page), std::nullopt);
}

// What the other side of each offset must be: a `syscall` instruction before those that are behind
// one, and nothing but zeros where registers are kept.
TEST(Stub, HasItsPartsWhereItSays) {
  const auto code = stub::code();
  const auto at = stub::offsets();
  EXPECT_EQ(at.enter, 0U);
  EXPECT_EQ(code[at.after_clone - 2], std::byte{0x0f});
  EXPECT_EQ(code[at.after_clone - 1], std::byte{0x05});
  for (const auto offset : {at.map, at.advise, at.finish, at.leave}) {
    EXPECT_LT(at.after_clone, offset);
    EXPECT_LT(offset, at.registers);
  }
  EXPECT_EQ(at.registers % 8, 0U);
  ASSERT_EQ(code.size() - at.registers, sizeof(stub::Kept));
  EXPECT_TRUE(std::all_of(code.begin() + static_cast<std::ptrdiff_t>(at.registers), code.end(),
                          [](std::byte byte) { return byte == std::byte{}; }));
}

}  // namespace
}  // namespace tidegauge::census
