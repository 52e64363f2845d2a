// SPDX-License-Identifier: Apache-2.0
#include "proc/statm.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::proc {
namespace {

TEST(ParseStatm, TakesResidentAndShared) {
  EXPECT_EQ(*parse_statm("765 403 376 5 0 123 0\n"), (Statm{765, 403, 376}));
  EXPECT_EQ(*parse_statm("0 0 0 0 0 0 0\n"), (Statm{0, 0, 0}));  // a process that has ended
}

TEST(ParseStatm, WhatItPrintsItReads) {
  EXPECT_TRUE(rc::check([](std::uint64_t size, std::uint64_t resident, std::uint64_t shared) {
    const auto text = std::to_string(size) + ' ' + std::to_string(resident) + ' ' +
                      std::to_string(shared) + " 5 0 123 0\n";
    RC_ASSERT(*parse_statm(text) == (Statm{size, resident, shared}));
  }));
}

TEST(ParseStatm, LessThanThreeNumbersIsMalformed) {
  for (const char* text :
       {"", "765", "765 403", "765 x 376", "765 403 -1", "1 2 99999999999999999999"}) {
    const auto statm = parse_statm(text);
    ASSERT_FALSE(statm) << text;
    EXPECT_EQ(statm.error().reason, Reason::Malformed);
  }
}

}  // namespace
}  // namespace tidegauge::proc
