// SPDX-License-Identifier: Apache-2.0
#include "view/holdings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tidegauge::view {
namespace {

record::Event held(std::int64_t at_ns, pid_t pid, std::string name, double bytes) {
  return {.at_ns = at_ns,
          .kind = record::EventKind::Held,
          .process = {pid, 7},
          .name = std::move(name),
          .value = bytes,
          .total = 3};
}

TEST(Holdings, KeepTheFirstCensusAndTheLast) {
  Holdings holdings;
  for (const int time : {1, 2, 3}) {
    holdings.add(held(time, 10, "dict train.cache", 100.0 * time));
    holdings.add(held(time, 10, "PIL.Image a.b local 'x'[*]", 1000.0 * time));
  }
  holdings.add(held(2, 11, "list a", 5));
  ASSERT_EQ(holdings.all().size(), 2U);
  const auto& of = holdings.all()[0];
  EXPECT_EQ(of.censuses, 3U);
  EXPECT_EQ(of.first().at_ns, 1);
  EXPECT_EQ(of.last().at_ns, 3);
  ASSERT_EQ(of.last().holders.size(), 2U);
  EXPECT_EQ(of.last().holders[0].type, "PIL.Image");
  EXPECT_EQ(of.last().holders[0].by, "a.b local 'x'[*]");
  EXPECT_EQ(of.last().holders[0].bytes, 3000);
  EXPECT_EQ(of.first().holders[1].bytes, 100);
}

TEST(Holdings, AreBounded) {
  Holdings holdings;
  for (int i = 0; i < 1000; ++i) holdings.add(held(1, 10, "t by" + std::to_string(i), i));
  ASSERT_EQ(holdings.all()[0].last().holders.size(), Holdings::kMostHolders);
  EXPECT_EQ(holdings.all()[0].last().holders[0].bytes, 999);
  for (int time = 2; time < 1000; ++time) holdings.add(held(time, 10, "t by", time));
  const auto& of = holdings.all()[0];
  EXPECT_EQ(of.censuses, 999U);
  EXPECT_LE(of.kept.size(), Holdings::kMostCensuses);
  EXPECT_EQ(of.first().at_ns, 1);
  EXPECT_EQ(of.last().at_ns, 999);
  EXPECT_TRUE(std::is_sorted(of.kept.begin(), of.kept.end(),
                             [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; }));
  for (int pid = 100; pid < 200; ++pid) holdings.add(held(1, pid, "t by", 1));
  EXPECT_EQ(holdings.all().size(), Holdings::kMostProcesses);
}

TEST(Holdings, TakeNamesAsTheyCome) {
  Holdings holdings;
  holdings.add(held(1, 10, "", 1));
  holdings.add(held(1, 10, "alone", 2));
  holdings.add(held(1, 10, " ", 3));
  record::Event step{.at_ns = 1, .kind = record::EventKind::Step};
  holdings.add(step);
  ASSERT_EQ(holdings.all().size(), 1U);
  EXPECT_EQ(holdings.all()[0].last().holders[1].type, "alone");
  EXPECT_EQ(holdings.all()[0].last().holders[1].by, "");
}

}  // namespace
}  // namespace tidegauge::view
