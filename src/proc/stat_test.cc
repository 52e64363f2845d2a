// SPDX-License-Identifier: Apache-2.0
#include "proc/stat.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tidegauge::proc {
namespace {

// Of a kernel 6.18.
std::string stat_text(const std::string& name, char state = 'S', int threads = 1) {
  return "16300 (" + name + ") " + state +
         " 16296 16290 3956 0 -1 4194304 100 0 7 0 0 0 0 0 20 0 " + std::to_string(threads) +
         " 0 119502 3133440 394 18446744073709551615 93895217946624 93895217966505 140725548458384 "
         "0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 93895217982512 93895217984128 93895306240000 "
         "140725548464834 140725548464854 140725548464854 140725548466155 9\n";
}

TEST(ParseStat, TakesTheFieldsOfProc5) {
  const auto stat = parse_stat(stat_text("cat"));
  ASSERT_TRUE(stat);
  EXPECT_EQ(*stat, (Stat{.id = {16300, 119502},
                         .name = "cat",
                         .state = 'S',
                         .parent = 16296,
                         .group = 16290,
                         .minor_faults = 100,
                         .major_faults = 7,
                         .threads = 1,
                         .size_bytes = 3133440,
                         .rss_pages = 394,
                         .exit_signal = 17,
                         .image = {93895217946624, 140725548458384}}));
}

TEST(ParseStat, AProcessCannotForgeItsStateThroughItsName) {
  for (const std::string name : {"a) Z 1 (b", ")", "((", "", " ", "x\ny", ") S 1", ") X 0 0"}) {
    const auto stat = parse_stat(stat_text(name));
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->state, 'S') << name;
    EXPECT_EQ(stat->id.start_ticks, 119502u) << name;
  }
}

TEST(ParseStat, AnyNameComesBackAndChangesNothingElse) {
  EXPECT_TRUE(rc::check([](const std::string& name) {
    const auto stat = parse_stat(stat_text(name));
    RC_ASSERT(static_cast<bool>(stat));
    auto plain = parse_stat(stat_text("x"));
    plain->name = name;
    RC_ASSERT(*stat == *plain);
  }));
}

TEST(ParseStat, OlderKernelsEndTheLineEarlier) {
  const auto text = stat_text("old");
  const auto stat = parse_stat(text.substr(0, text.find(" 17 1 0")));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->rss_pages, 394u);
  EXPECT_TRUE(stat->image.known());
}

TEST(ParseStat, OnlyTheEndedHaveAnEnd) {
  EXPECT_FALSE(parse_stat(stat_text("x", 'S'))->wait_status);
  EXPECT_EQ(parse_stat(stat_text("x", 'Z'))->wait_status, 9);
}

TEST(HasEnded, AFirstThreadThatLeftTheOthersHasNot) {
  EXPECT_FALSE(has_ended(*parse_stat(stat_text("x", 'S'))));
  EXPECT_TRUE(has_ended(*parse_stat(stat_text("x", 'Z'))));
  EXPECT_TRUE(has_ended(*parse_stat(stat_text("x", 'X'))));
  EXPECT_FALSE(has_ended(*parse_stat(stat_text("x", 'Z', 3))));
}

TEST(ParseStat, WhatIsNotAStatIsMalformed) {
  const auto whole = stat_text("cat");
  for (const std::string& text :
       {std::string(), std::string("16300 (cat"), std::string(")("), whole.substr(0, 60),
        "-5" + whole.substr(5), "99999999999" + whole.substr(5)}) {
    const auto stat = parse_stat(text);
    ASSERT_FALSE(stat) << text;
    EXPECT_EQ(stat.error().reason, Reason::Malformed);
  }
}

TEST(Stat, KnowsACopyThatACensusMadeFromItsFirstMomentOn) {
  Stat copy{.state = 'R'};
  copy.exit_signal = 0;
  EXPECT_TRUE(is_census_copy(copy)) << "not held yet, but it has touched nothing";
  copy.state = 't';
  EXPECT_TRUE(is_census_copy(copy));
  Stat child{.state = 'R', .minor_faults = 3};
  child.exit_signal = 0;
  EXPECT_FALSE(is_census_copy(child)) << "somebody's child that nobody is told about";
  child.exit_signal = 17;
  child.minor_faults = 0;
  EXPECT_FALSE(is_census_copy(child)) << "an ordinary one, just born";
}

}  // namespace
}  // namespace tidegauge::proc
