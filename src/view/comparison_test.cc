// SPDX-License-Identifier: Apache-2.0
#include "view/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tidegauge::view {
namespace {

using verdict::Comparison;
using verdict::Outline;

const std::vector<Outline> kRuns = {{.name = "/data/rank0.tg"}, {.name = "/data/rank1.tg"}};

Comparison by_step() {
  Comparison out{.by = Comparison::By::Step, .different = {1}, .sentences = {"rank1 stands out."}};
  for (int i = 0; i <= 20; ++i) {
    out.rows.push_back({.at = 10.0 * i, .bytes = {1048576.0, 1048576.0 * (1 + i)}});
  }
  return out;
}

TEST(Comparison, TextMarksTheOneThatDiffersAndShowsBothEnds) {
  const auto text = comparison_text(kRuns, by_step(), 100);
  EXPECT_NE(text.find("rank1 stands out."), std::string::npos);
  EXPECT_NE(text.find("rank1.tg *"), std::string::npos);
  EXPECT_NE(text.find("200"), std::string::npos);
  EXPECT_NE(text.find("21.0"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 12);
}

TEST(Comparison, DocumentNamesRunsAndPlaces) {
  const auto document = nlohmann::json::parse(comparison_document(kRuns, by_step()));
  EXPECT_EQ(document["schema"], "tidegauge/comparison/1");
  EXPECT_EQ(document["by"], "step");
  EXPECT_EQ(document["runs"][1]["source"], "/data/rank1.tg");
  EXPECT_EQ(document["different"], nlohmann::json::array({1}));
  EXPECT_EQ(document["rows"].size(), 21u);
}

TEST(Comparison, DocumentSaysWhereThereIsNoCommonClock) {
  const auto document =
      nlohmann::json::parse(comparison_document(kRuns, {.sentences = {"They have none."}}));
  EXPECT_TRUE(document["by"].is_null());
}

TEST(Comparison, WithoutRowsThereAreSentencesOnly) {
  const Comparison none{.sentences = {"There is nothing to compare."}};
  EXPECT_EQ(comparison_text(kRuns, none, 80), "Side by side\n  · There is nothing to compare.\n");
}

}  // namespace
}  // namespace tidegauge::view
