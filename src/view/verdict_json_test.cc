// SPDX-License-Identifier: Apache-2.0
#include "view/verdict_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/any_verdict.h"

namespace tidegauge::view {
namespace {

using Json = nlohmann::json;

Json first(const verdict::Verdict& verdict) {
  return Json::parse(verdict_document("s.csv", {.all = {verdict}}, {}))["verdicts"][0];
}

TEST(VerdictDocument, NamesItsSchemaAndItsSource) {
  const auto text =
      verdict_document("a\"b.csv", {.all = {incident_settled(), incident_at_step_70()}}, {});
  const auto document = Json::parse(text);
  EXPECT_EQ(document["schema"], "tidegauge/verdict/1");
  EXPECT_EQ(document["source"], "a\"b.csv");
  EXPECT_EQ(document["verdicts"].size(), 2u);
  EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(VerdictDocument, OneLineIsTheSameOnOneLine) {
  const verdict::Verdicts verdicts{.all = {incident_settled()}};
  const auto line = verdict_document("x", verdicts, {}, Layout::OneLine);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Json::parse(line), Json::parse(verdict_document("x", verdicts, {})));
}

TEST(VerdictDocument, SaysThatTheKernelKilled) {
  const verdict::Verdicts verdicts{.all = {incident_settled()}};
  EXPECT_EQ(Json::parse(verdict_document("x", verdicts, {}))["killed"], nullptr);
  const Killed whom{.words = "The kernel killed train.py.",
                    .of_job = true,
                    .at = 61.5,
                    .times = 2,
                    .pid = 494,
                    .name = "train.py",
                    .cgroup = "/job",
                    .limit_bytes = 60 << 20};
  EXPECT_EQ(Json::parse(verdict_document("x", verdicts, whom))["killed"],
            Json::parse(R"({"words": "The kernel killed train.py.", "of_job": true, "at": 61.5,
                            "times": 2, "pid": 494, "name": "train.py", "cgroup": "/job",
                            "limit_bytes": 62914560})"));
  const Killed stranger{.words = "The kernel killed a process.", .at = 61.5, .times = 1};
  EXPECT_EQ(Json::parse(verdict_document("x", verdicts, stranger))["killed"],
            Json::parse(R"({"words": "The kernel killed a process.", "of_job": false, "at": 61.5,
                            "times": 1, "pid": null, "name": null, "cgroup": null,
                            "limit_bytes": null})"));
}

TEST(VerdictDocument, SaysWhatTheUndecidedIncidentNeeds) {
  const auto v = first(incident_at_step_70());
  EXPECT_EQ(v["class"], "undecided");
  EXPECT_EQ(v["subject"]["process"]["pid"], 494);
  EXPECT_EQ(v["subject"]["process"]["start_ticks"], 1000);
  EXPECT_EQ(v["subject"]["process"]["name"], "train.py");
  EXPECT_EQ(v["subject"]["process"]["role"], "main");
  EXPECT_EQ(v["subject"]["kind"], "total");
  EXPECT_EQ(v["growth"]["bytes_per_step"]["value"], 171 << 20);
  EXPECT_EQ(v["tied_to"], "first_pass");
  EXPECT_TRUE(v["settled"].is_null());
  EXPECT_EQ(v["needs"]["at_step"], 103);
  EXPECT_EQ(v["needs"]["if_bounded"]["at_step"], 82.9);
  EXPECT_EQ(v["forecast"]["limit_kind"], "ram");
  EXPECT_EQ(v["forecast"]["seconds"]["p50"], 900);
  EXPECT_TRUE(v["forecast"]["steps"].is_null());
  EXPECT_EQ(v["words"]["tag"], "Cannot tell yet");
  EXPECT_EQ(v["words"]["facts"][0]["label"], "How fast");
}

TEST(VerdictDocument, IsNullWhereSomethingDoesNotApply) {
  verdict::Verdict bare;
  bare.evidence = {"Nothing was seen."};
  const auto v = first(bare);
  for (const char* field : {"not_excluded", "tied_to", "settled", "forecast", "needs", "limit"}) {
    EXPECT_TRUE(v.at(field).is_null()) << field;
  }
  EXPECT_TRUE(v["subject"]["process"].is_null());
  EXPECT_TRUE(v["growth"]["bytes_per_minute"].is_null());
  EXPECT_TRUE(v["growth"]["bytes_per_step"].is_null());
}

TEST(VerdictDocument, CountsStepsWhereOnlyStepsAreKnown) {
  auto steps = incident_at_step_70();
  steps.duration_seconds = 0;
  const auto v = first(steps);
  EXPECT_TRUE(v["forecast"]["seconds"].is_null());
  EXPECT_EQ(v["forecast"]["steps"]["p95"], 1080);
}

TEST(VerdictDocument, HasEveryFieldAndOnlyNumbersThatAreSomeWhateverTheVerdict) {
  EXPECT_TRUE(rc::check([] {
    const auto verdict = any_verdict();
    const auto text = verdict_document(any_text(), {.all = {verdict}}, {});
    const auto v = Json::parse(text)["verdicts"][0];
    for (const char* field :
         {"subject", "class", "confidence", "p_leak", "not_excluded", "growth", "tied_to",
          "settled", "spikes", "forecast", "needs", "causes", "evidence", "words"}) {
      RC_ASSERT(v.contains(field));
    }
    RC_ASSERT(v["class"] == verdict::id_of(verdict.klass));
    RC_ASSERT(v["confidence"] >= 0.0 && v["confidence"] <= 1.0);
    RC_ASSERT(v["p_leak"] >= 0.0 && v["p_leak"] <= 1.0);
    RC_ASSERT(v["settled"].is_null() == !verdict.settled.has_value());
    const auto& growth = v["growth"]["bytes_per_minute"];
    RC_ASSERT((growth.is_null() || growth["value"].is_number()));
    RC_ASSERT(text.find('\x1b') == text.npos);
  }));
}

}  // namespace
}  // namespace tidegauge::view
