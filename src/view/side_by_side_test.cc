// SPDX-License-Identifier: Apache-2.0
#include "view/side_by_side.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/any_verdict.h"

namespace tidegauge::view {
namespace {

using verdict::Class;
using verdict::Comparison;
using verdict::Verdict;

Verdict steady_at(double bytes) {
  Verdict out;
  out.klass = Class::Steady;
  out.floor_bytes = bytes;
  out.peak_bytes = bytes;
  return out;
}

Comparison by_step(double first, double second) {
  return {.by = Comparison::By::Step,
          .rows = {{.at = 1, .bytes = {kGiB, kGiB}}, {.at = 166, .bytes = {first, second}}},
          .sentences = {"They differ."}};
}

TEST(SideBySide, TellsWhatARemedyDoesToMemoryAndToSpeed) {
  const auto before = incident_settled();
  const auto after = steady_at(1.94 * kGiB);
  const std::vector<Side> sides = {
      {"as_it_was", &before, Pace::Quartiles{0.6, 0.62, 0.7}, "12 min"},
      {"on_demand", &after, Pace::Quartiles{0.8, 0.84, 0.9}, "15 min"}};
  const auto told = side_by_side(sides, by_step(17.3 * kGiB, 1.94 * kGiB));
  EXPECT_EQ(told.headline, "on_demand keeps 15.4\u00A0GiB less than as_it_was.");
  EXPECT_EQ(
      told.lead,
      "What stays: 1.94\u00A0GiB instead of 17.3\u00A0GiB. The peak: 1.94\u00A0GiB instead of "
      "22.5\u00A0GiB. A step takes 0.84\u00A0s instead of 0.62\u00A0s, 35 % longer.");
  ASSERT_FALSE(told.rows.empty());
  EXPECT_EQ(told.rows[0].id, "verdict");
  EXPECT_EQ(told.rows[0].values, (std::vector<std::string>{"Not a leak", "Steady"}));
  EXPECT_EQ(told.rows[1].change, "15.4\u00A0GiB less (−89 %)");
}

TEST(SideBySide, ALeakComesFirst) {
  auto leak = steady_at(5 * kGiB);
  leak.klass = Class::Leak;
  const auto steady = steady_at(5 * kGiB);
  auto open = steady;
  open.klass = Class::Undecided;
  const auto headline = [](const Verdict& a, const Verdict& b) {
    const std::vector<Side> sides = {{.name = "A", .verdict = &a}, {.name = "B", .verdict = &b}};
    return side_by_side(sides, by_step(kGiB, 5 * kGiB)).headline;
  };
  EXPECT_EQ(headline(leak, steady), "A leaks, B does not.");
  EXPECT_EQ(headline(steady, leak), "B leaks, A does not.");
  EXPECT_EQ(headline(leak, open), "A leaks; of B it cannot be told yet.");
  EXPECT_EQ(headline(leak, leak), "At step 166 B holds 4.00\u00A0GiB more than A.");
  EXPECT_EQ(headline(steady, steady), "B keeps as much as A.");
}

TEST(SideBySide, NamesAreShortUnlessTheyWouldBeTheSame) {
  const std::vector<std::string> apart = {"/a/as_it_was.tg", "b/on.demand.csv"};
  EXPECT_EQ(short_names(apart), (std::vector<std::string>{"as_it_was", "on.demand"}));
  const std::vector<std::string> alike = {"/a/train.tg", "/b/train.tg"};
  EXPECT_EQ(short_names(alike), alike);
}

TEST(SideBySide, TextAndMarkdownHoldTheSameWords) {
  const auto before = incident_settled();
  const auto after = steady_at(2 * kGiB);
  const std::vector<Side> sides = {{.name = "a|b*", .verdict = &before, .seen = "12 min"},
                                   {.name = "after", .verdict = &after, .seen = "15 min"}};
  const auto found = by_step(17.3 * kGiB, 2 * kGiB);
  const auto text = side_by_side_text(sides, found, 100);
  EXPECT_NE(text.find("after keeps 15.3\u00A0GiB less than a|b*.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("What stays"), std::string::npos);
  const auto markdown = side_by_side_markdown(sides, found, "x.svg");
  EXPECT_NE(markdown.find("| a\\|b\\* |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("](<x.svg>)"), std::string::npos);
  EXPECT_NE(markdown.find("They differ."), std::string::npos);
}

TEST(SideBySide, AnyTwoVerdictsHaveAHeadline) {
  EXPECT_TRUE(rc::check([] {
    const auto a = any_verdict();
    const auto b = any_verdict();
    const std::vector<Side> sides = {{.name = "A", .verdict = &a}, {.name = "B", .verdict = &b}};
    const auto told = side_by_side(sides, by_step(*any_number(), *any_number()));
    RC_ASSERT(!told.headline.empty());
    for (const auto& text : {told.headline, told.lead}) {
      RC_ASSERT(text.find("nan") == std::string::npos);
      RC_ASSERT(text.find("inf") == std::string::npos);
    }
    for (const auto& row : told.rows) RC_ASSERT(row.values.size() == 2u);
  }));
}

TEST(SideBySide, WithoutACommonClockNoneIsNamed) {
  const auto by_of = [](const Comparison& found) {
    return nlohmann::json::parse(side_by_side_json({}, {}, found))["by"];
  };
  EXPECT_TRUE(by_of({.sentences = {"They cannot be lined up."}}).is_null());
  EXPECT_EQ(by_of({.by = Comparison::By::Seconds}), "seconds");
}

TEST(SideBySide, RunsWithoutVerdictsAndMoreThanTwo) {
  const auto verdict = steady_at(kGiB);
  const std::vector<Side> sides = {
      {.name = "A", .verdict = &verdict}, {.name = "B"}, {.name = "C", .verdict = &verdict}};
  const auto told = side_by_side(sides, {.sentences = {"C stands out."}});
  EXPECT_EQ(told.headline, "C stands out.");
  EXPECT_EQ(told.rows.front().values, (std::vector<std::string>{"Steady", "", "Steady"}));
}

}  // namespace
}  // namespace tidegauge::view
