// SPDX-License-Identifier: Apache-2.0
#include "verdict/allocations.h"

#include <gtest/gtest.h>

namespace tidegauge::verdict {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
const record::ProcessId kJob{10, 7};

record::Profile profile(std::uint64_t load_mib, std::uint64_t parse_mib) {
  return {.process = kJob,
          .places = {{.function = "load", .file = "data.py", .line = 12},
                     {.function = "parse", .file = "data.py", .line = 30},
                     {.function = "loads", .file = "/usr/lib/python3.11/json/x.py", .line = 1}},
          .sites = {{.stack = {0}, .live = load_mib * kMiB},
                    {.stack = {1, 2}, .live = parse_mib * kMiB},
                    {.stack = {}, .live = 1}}};
}

Growth growth_of(double mib, double since = 0) {
  return {.bytes = mib * kMiB, .since = since, .is_leak = true};
}

TEST(Allocations, NameThePlaceThatGrew) {
  Allocations found;
  found.add(profile(100, 10), 1);
  EXPECT_FALSE(found.grower(growth_of(90)));  // one profile does not tell growth
  found.add(profile(110, 90), 2);
  const auto grower = found.grower(growth_of(90));
  ASSERT_TRUE(grower);
  EXPECT_EQ(grower->site, "parse (data.py:30)");  // not where a library allocates for it
  EXPECT_EQ(grower->live, 90.0 * kMiB);
  EXPECT_EQ(grower->grown, 80.0 * kMiB);
  EXPECT_TRUE(found.grower(kJob, growth_of(90)));
  EXPECT_FALSE(found.grower({11, 7}, growth_of(90)));
}

TEST(Allocations, NameNoneWhereItIsNotClearOrNotMuch) {
  Allocations found;
  found.add(profile(100, 10), 1);
  found.add(profile(150, 61), 2);
  EXPECT_TRUE(found.grower(growth_of(100)));
  EXPECT_FALSE(found.grower(growth_of(1000)));  // a twentieth of the growth
  Allocations even;
  even.add({.process = kJob}, 1);
  auto three = profile(40, 40);
  three.places.push_back({.function = "keep", .file = "data.py", .line = 50});
  three.sites.push_back({.stack = {3}, .live = 40 * kMiB});
  even.add(three, 2);
  EXPECT_FALSE(even.grower(growth_of(100)));
  EXPECT_FALSE(even.grower(growth_of(0)));
}

TEST(Allocations, WhatGrewBeforeTheGrowthBeganIsNotItsCause) {
  Allocations found;
  found.add(profile(0, 10), 1);
  found.add(profile(500, 10), 20);  // warm-up
  found.add(profile(500, 110), 40);
  EXPECT_EQ(found.grower(growth_of(100, 15))->site, "parse (data.py:30)");
  EXPECT_EQ(found.grower(growth_of(600))->site, "load (data.py:12)");
}

TEST(Allocations, AreBounded) {
  Allocations found;
  for (int i = 0; i < 500; ++i) found.add(profile(static_cast<std::uint64_t>(i), 10), i);
  EXPECT_EQ(found.grower(growth_of(400))->grown, 499.0 * kMiB);  // the first one is kept
}

}  // namespace
}  // namespace tidegauge::verdict
