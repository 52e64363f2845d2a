// SPDX-License-Identifier: Apache-2.0
#include "view/sites.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/accounts.h"
#include "view/sites_json.h"
#include "view/summary_text.h"

namespace tidegauge::view {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMiB = 1 << 20;
const std::string kHostile = "</script><img src=x>\x1b[31m`|\xe2\x80\xae" + std::string(5000, 'w');

// main() calls load(), which keeps, and numpy, which does not; another numbering at odd times.
record::Profile profile(std::int64_t second, std::uint64_t kept_mib, pid_t pid = 10) {
  record::Profile out{.at_ns = second * kSecond, .process = {pid, 7}, .sampler = "tracemalloc"};
  const record::CodePlace main{.function = "main", .file = "/me/train.py", .line = 40};
  const record::CodePlace load{.function = "load", .file = "/me/data.py", .line = 12};
  const record::CodePlace ones{
      .function = "ones", .file = "/x/site-packages/numpy/numeric.py", .line = 7};
  const bool odd = second % 2 == 1;
  out.places = odd ? std::vector{ones, load, main} : std::vector{main, load, ones};
  const std::uint32_t first = odd ? 2 : 0;
  out.sites = {{.stack = {first, 1}, .live = kept_mib * kMiB, .live_count = kept_mib},
               {.stack = {first, 2 - first}, .live = 50 * kMiB, .allocated = 900 * kMiB}};
  return out;
}

TEST(Sites, AreTheSamePlaceHoweverAProfileNumbersIt) {
  Sites sites;
  for (const int second : {1, 2, 3})
    sites.add(profile(second, static_cast<std::uint64_t>(second) * 10));
  const auto& of = sites.all().at(0);
  EXPECT_EQ(of.profiles, 3U);
  const auto courses = courses_of(of);
  EXPECT_EQ(courses.places.size(), 3U);
  ASSERT_EQ(courses.courses.size(), 2U);
  EXPECT_EQ(courses.courses[0].live_at, (std::vector<double>{10 * kMiB, 20 * kMiB, 30 * kMiB}));
  EXPECT_EQ(courses.courses[0].grown(), 20 * kMiB);
  EXPECT_EQ(courses.courses[1].grown(), 0);
  EXPECT_EQ(courses.courses[1].allocated, 900 * kMiB);
}

TEST(Sites, WhatGrewMostIsFirstAndTheCallerIsNamedWhereALibraryAllocates) {
  Sites sites;
  sites.add(profile(1, 10));
  EXPECT_FALSE(rows_of(sites.all()[0], 9)[0].grown);
  EXPECT_EQ(rows_of(sites.all()[0], 9)[0].where, "ones (numeric.py:7)");
  sites.add(profile(2, 30));
  const auto rows = rows_of(sites.all()[0], 9);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].where, "load (data.py:12)");
  EXPECT_EQ(rows[0].from, "");
  EXPECT_EQ(rows[0].grown, 20 * kMiB);
  EXPECT_EQ(rows[0].count, 30);
  EXPECT_EQ(rows[1].where, "ones (numeric.py:7)");
  EXPECT_EQ(rows[1].from, "main (train.py:40)");
  EXPECT_FALSE(rows[1].count);
  EXPECT_EQ(rows_of(sites.all()[0], 1).size(), 1U);
}

TEST(Sites, AreBounded) {
  Sites sites;
  auto large = profile(1, 10);
  for (std::uint32_t i = 0; i < 3000; ++i) {
    large.places.push_back({.function = "f", .file = "x.py", .line = i + 1});
    large.sites.push_back({.stack = {3 + i}, .live = i});
  }
  large.sites.push_back({.stack = {}, .live = 1 << 30});
  sites.add(large);
  const auto& kept = sites.all()[0].kept[0];
  EXPECT_EQ(kept.sites.size(), Sites::kMostSites);
  EXPECT_EQ(kept.sites[0].live, 50 * kMiB);
  EXPECT_EQ(kept.places.size(), Sites::kMostSites + 1);
  EXPECT_EQ(record::label_of(kept.places[kept.sites[2].stack[0]]), "f (x.py:3000)");
  for (int second = 2; second < 500; ++second) sites.add(profile(second, 10));
  EXPECT_LE(sites.all()[0].kept.size(), Sites::kMostProfiles);
  EXPECT_EQ(sites.all()[0].kept.front().at_ns, kSecond);
  EXPECT_EQ(sites.all()[0].kept.back().at_ns, 499 * kSecond);
  for (pid_t pid = 100; pid < 200; ++pid) sites.add(profile(1, 10, pid));
  EXPECT_EQ(sites.all().size(), Sites::kMostProcesses);
}

TEST(Sites, HowTheyWereSampledIsTold) {
  EXPECT_EQ(sampling_phrase({.sampler = "tracemalloc"}),
            "By tracemalloc: every allocation was counted");
  EXPECT_EQ(sampling_phrase({.sampled_every = 512 << 10}),
            "One allocation in 512\u00a0KiB was looked at");
}

TEST(Sites, LeaveNothingOutOfTheDocument) {
  Accounts accounts;
  EXPECT_TRUE(sites_json(accounts).empty());
  accounts.sites.add({.process = {10, 7}});  // an empty profile is none
  EXPECT_TRUE(sites_json(accounts).empty());
  auto large = profile(1, 10);
  for (std::uint32_t i = 0; i < 600; ++i) {
    large.places.push_back({.function = "f", .file = "x.py", .line = i + 1});
    large.sites.push_back({.stack = {3 + i}, .live = 1000});
  }
  Accounts many;
  many.sites.add(large);
  const auto of = sites_json(many)[0];
  double sum = of["others_at"][0];
  for (const auto& site : of["sites"]) sum += site["live_at"][0].get<double>();
  EXPECT_EQ(sum, 60.0 * kMiB + 1000.0 * (Sites::kMostSites - 2));
  EXPECT_EQ(of["sites"].size(), 500U);
}

TEST(Sites, HostileNamesAreMadeSafeEverywhere) {
  auto evil = profile(1, 10);
  evil.places[0] = {.function = kHostile, .file = kHostile, .line = 3};
  evil.sampler = kHostile;
  Accounts accounts;
  accounts.sites.add(evil);
  const auto markdown = summary_markdown(accounts, {}, "", "");
  const auto text = summary_text(accounts, {}, {});
  for (const auto& shown : {markdown, text, sites_json(accounts).dump()}) {
    EXPECT_NE(shown.find("img src=x"), std::string::npos);
    EXPECT_EQ(shown.find('\x1b'), std::string::npos);
    EXPECT_EQ(shown.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(shown.find(std::string(500, 'w')), std::string::npos);
  }
  // Nowhere a tag, not even in a code span: outside of those it is escaped.
  EXPECT_NE(markdown.find("‹img src=x›"), std::string::npos);
  for (auto at = markdown.find('<'); at != markdown.npos; at = markdown.find('<', at + 1)) {
    EXPECT_TRUE(markdown[at - 1] == '\\' || markdown.substr(at).starts_with("<!-- a report"));
  }
}

}  // namespace
}  // namespace tidegauge::view
