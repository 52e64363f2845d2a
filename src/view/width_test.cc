// SPDX-License-Identifier: Apache-2.0
#include "view/width.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"

namespace tidegauge::view {
namespace {

TEST(Width, CountsColumnsNotBytes) {
  EXPECT_EQ(columns_of(""), 0u);
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("é"), 1u);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
  EXPECT_EQ(columns_of("表計算"), 6u);
  EXPECT_EQ(columns_of("17.6\u00A0GiB"), 8u);
  EXPECT_EQ(columns_of("⣿⡇"), 2u);
}

TEST(Width, AControlCharacterIsShownAsUnknown) {
  EXPECT_EQ(clipped("a\x1b[2Jb", 20), "a\uFFFD[2Jb");
  EXPECT_EQ(clipped("\xff", 20), "\uFFFD");
}

TEST(Width, CutsWithAnEllipsisAndNeverHalfAWideCharacter) {
  EXPECT_EQ(clipped("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped("abcdef", 4), "abc…");
  EXPECT_EQ(clipped("表計算", 4), "表…");
  EXPECT_EQ(clipped_inside("abcdef", 6), "abcdef");
  EXPECT_EQ(clipped_inside("abcdefghij", 7), "ab…ghij");
  EXPECT_EQ(clipped_inside("表計算表計算", 6), "…計算");
  EXPECT_EQ(clipped_inside("abc", 1), "…");
  EXPECT_EQ(clipped_inside("abc", 0), "");
  EXPECT_EQ(clipped("表計算", 0), "");
  EXPECT_EQ(padded_right("表計算", 4), "表… ");
  EXPECT_EQ(padded_left("ab", 4), "  ab");
}

TEST(Width, PaddedIsExactlyAsWideAsAskedWhateverTheText) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const auto columns = *rc::gen::inRange<std::size_t>(0, 30);
    RC_ASSERT(columns_of(padded_right(text, columns)) == columns);
    RC_ASSERT(columns_of(padded_left(text, columns)) == columns);
    RC_ASSERT(columns_of(clipped(text, columns)) <= columns);
    RC_ASSERT(printable(clipped(text, columns)) == clipped(text, columns));
  }));
}

}  // namespace
}  // namespace tidegauge::view
