// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

namespace tidegauge {
namespace {

TEST(FormatBytes, ThreeDigitsAndABinaryUnit) {
  EXPECT_EQ(format_bytes(0), "0\u00A0B");
  EXPECT_EQ(format_bytes(999), "999\u00A0B");
  EXPECT_EQ(format_bytes(1024), "1.00\u00A0KiB");
  EXPECT_EQ(format_bytes(171.0 * (1 << 20)), "171\u00A0MiB");
  EXPECT_EQ(format_bytes(17.83 * (1 << 30)), "17.8\u00A0GiB");
  EXPECT_EQ(format_bytes(-2.5 * (1 << 20)), "-2.50\u00A0MiB");
  EXPECT_EQ(format_bytes(-0.2), "0\u00A0B");
}

TEST(FormatBytes, NeverShowsAThousandOfAUnit) {
  EXPECT_EQ(format_bytes(1023.9 * 1024), "1.00\u00A0MiB");
}

TEST(FormatDuration, TwoUnitsAtMost) {
  EXPECT_EQ(format_duration(0.02), "20\u00A0ms");
  EXPECT_EQ(format_duration(0.1), "0.1\u00A0s");
  EXPECT_EQ(format_duration(4.24), "4.2\u00A0s");
  EXPECT_EQ(format_duration(42), "42\u00A0s");
  EXPECT_EQ(format_duration(193), "3\u00A0min 13\u00A0s");
  EXPECT_EQ(format_duration(180), "3\u00A0min");
  EXPECT_EQ(format_duration(7500), "2\u00A0h 5\u00A0min");
  EXPECT_EQ(format_duration(3.2 * 86400), "3\u00A0d 4\u00A0h");
}

TEST(ParseBytes, KnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("32GB"), 32000000000ull);
  EXPECT_EQ(parse_bytes("1.5 GiB"), 1610612736ull);
  EXPECT_EQ(parse_bytes("512m"), 536870912ull);
  EXPECT_EQ(parse_bytes("4096"), 4096ull);
  EXPECT_EQ(parse_bytes("64KB"), 64000ull);
  for (const char* wrong : {"", "GB", "-1", "1x", "1.2.3", "1e99GB", "99999999999PB", "nan"}) {
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
  }
}

TEST(ParseDuration, AddsItsParts) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("10m"), 600);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("250ms"), 0.25);
  for (const char* wrong : {"", "m", "-3", "1 fortnight", "10m5", "inf", "nan"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
  EXPECT_FALSE(parse_duration(std::string(308, '9') + "h"));  // more seconds than a double holds
}

}  // namespace
}  // namespace tidegauge
