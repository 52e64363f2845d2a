// SPDX-License-Identifier: Apache-2.0
#include "proc/meminfo.h"

#include <gtest/gtest.h>

namespace tidegauge::proc {
namespace {

TEST(ParseMeminfo, TakesKilobytesAndPassesOverTheRest) {
  const auto machine = parse_meminfo(
      "MemTotal:       1000 kB\nSwapCached:  5 kB\nHugePages_Total:   3\nShmem: 2 kB\n"
      "ShmemHugePages:  9 kB\nDirectMap4k:  88 kB\n");
  ASSERT_TRUE(machine);
  EXPECT_EQ(*machine, (record::Machine{.total = 1024000, .shmem = 2048}));
}

TEST(ParseMeminfo, WithoutATotalItIsNoMeminfo) {
  for (const auto* text :
       {"", "x", "MemFree: 1 kB\n", "MemTotal: x kB\n", "MemTotal: 1\n", "MemTotal: -1 kB\n",
        "MemTotal: 99999999999999999999 kB\n", "MemTotal: 18446744073709551615 kB\n"}) {
    EXPECT_EQ(parse_meminfo(text).error().reason, Reason::Malformed) << text;
  }
}

TEST(ParseMeminfo, AFieldThatMakesNoSenseIsEmptyNotZero) {
  const auto machine = parse_meminfo("MemTotal: 1 kB\nMemFree: ?? kB\nCached: 3");
  ASSERT_TRUE(machine);
  EXPECT_EQ(*machine, record::Machine{.total = 1024});
}

TEST(ParsePressure, TakesTheTenSecondShares) {
  const auto pressure = parse_pressure(
      "some avg10=12.34 avg60=1.00 avg300=0.10 total=7\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  ASSERT_TRUE(pressure);
  EXPECT_EQ(*pressure, (Pressure{.some = 12.34, .full = 0.0}));
}

TEST(ParsePressure, OldKernelsHaveOneLine) {
  const auto pressure = parse_pressure("some avg10=1.00 avg60=1.00 avg300=0.10 total=7\n");
  ASSERT_TRUE(pressure);
  EXPECT_EQ(*pressure, Pressure{.some = 1.0});
}

TEST(ParsePressure, RefusesWhatIsNoShare) {
  for (const auto* text : {"", "some\n", "some avg10=nan\n", "some avg10=101\n", "some avg10=-1\n",
                           "some avg60=1\n", "full avg10=1e400\n"}) {
    EXPECT_EQ(parse_pressure(text).error().reason, Reason::Malformed) << text;
  }
}

}  // namespace
}  // namespace tidegauge::proc
