// SPDX-License-Identifier: Apache-2.0
#include "view/table.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "view/ink.h"
#include "view/width.h"

namespace tidegauge::view {
namespace {

Table people() {
  Table table({{.title = "NAME", .importance = 9, .shrinks = true},
               {.title = "PID", .right = true, .importance = 5},
               {.title = "AVG", .right = true, .importance = 1}});
  table.add({"train.py", "494", "17.3 GiB"});
  table.add({"a very long name of a process", "7", "1 B"});
  return table;
}

TEST(Table, AlignsItsColumns) {
  const auto lines = people().lines(100);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "NAME                           PID       AVG");
  EXPECT_EQ(lines[1], "train.py                       494  17.3 GiB");
  EXPECT_EQ(lines[2], "a very long name of a process    7       1 B");
}

TEST(Table, ShortensNamesThenDropsTheLeastImportantColumn) {
  EXPECT_EQ(people().lines(33)[2], "a very long name …    7       1 B");
  EXPECT_EQ(people().lines(26)[2], "a very long name …    7");
  EXPECT_EQ(people().lines(12)[2], "a very long…");
}

TEST(Table, IsNeverWiderThanAsked) {
  EXPECT_TRUE(rc::check([] {
    Table table({{.title = "NAME", .importance = 9, .shrinks = true},
                 {.title = "X", .right = true, .importance = *rc::gen::inRange(0, 9)},
                 {.title = "Y", .importance = *rc::gen::inRange(0, 9)}});
    const auto rows = *rc::gen::inRange(0, 5);
    for (int i = 0; i < rows; ++i)
      table.add(*rc::gen::container<std::vector<std::string>>(3, rc::gen::string<std::string>()));
    const auto columns = *rc::gen::inRange<std::size_t>(1, 60);
    for (const auto& line : table.lines(columns)) RC_ASSERT(columns_of(line) <= columns);
  }));
}

TEST(Wrapped, BreaksAtBlanksButNotInsideAQuantity) {
  EXPECT_EQ(wrapped("keeps 17.3\u00A0GiB for ever", 12),
            (std::vector<std::string>{"keeps", "17.3\u00A0GiB for", "ever"}));
  EXPECT_TRUE(wrapped("", 12).empty());
  EXPECT_EQ(wrapped("abcdefghij", 5), (std::vector<std::string>{"abcd…"}));
}

TEST(Ascii, SaysWhatItCan) {
  EXPECT_EQ(to_ascii("17.3\u00A0GiB · “x”… 表"), "17.3 GiB - \"x\"~ ??");
}

}  // namespace
}  // namespace tidegauge::view
