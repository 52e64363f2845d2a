// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tidegauge {
namespace {

TEST(ToNumber, TakesTheWholeWordOrNothing) {
  EXPECT_EQ(to_number<int>("12"), 12);
  EXPECT_FALSE(to_number<int>("12x"));
  EXPECT_FALSE(to_number<int>(""));
  EXPECT_FALSE(to_number<std::uint64_t>("-1"));
  EXPECT_FALSE(to_number<std::uint64_t>("18446744073709551616"));
}

TEST(NextWord, WalksOverAnyBlanks) {
  std::string_view text = "  a\tbc \n d";
  EXPECT_EQ(next_word(text), "a");
  EXPECT_EQ(next_word(text), "bc");
  EXPECT_EQ(next_word(text), "d");
  EXPECT_EQ(next_word(text), "");
}

TEST(NextLine, KeepsEmptyLines) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(next_line(text), "a");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "b");
  EXPECT_TRUE(text.empty());
}

TEST(JsonString, HostileNamesStayOneString) {
  std::string out;
  append_json_string(out, "a\"b\\c\n\x1b[2J\xff\xc3\xa9");
  EXPECT_EQ(out, "\"a\\\"b\\\\c\\u000a\\u001b[2J\\ufffd\xc3\xa9\"");
}

TEST(JsonString, OverlongAndSurrogateFormsAreNoUtf8) {
  for (const char* text : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    std::string out;
    append_json_string(out, text);
    EXPECT_EQ(out.find("\\ufffd"), 1u) << out;
  }
}

TEST(Printable, TakesAwayWhatCouldFoolAReader) {
  EXPECT_EQ(printable("train.py"), "train.py");
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\u202Eb"), "a\uFFFDb");
  EXPECT_EQ(printable("\u00e9\u4e2d"), "\u00e9\u4e2d");
}

TEST(Lower, ChangesAsciiLettersOnly) {
  EXPECT_EQ(lower("MiB Z9_\u00c9"), "mib z9_\u00c9");
}

}  // namespace
}  // namespace tidegauge
