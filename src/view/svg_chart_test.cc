// SPDX-License-Identifier: Apache-2.0
#include "view/svg_chart.h"

#include <gtest/gtest.h>

#include "view/fake_incident.h"

namespace tidegauge::view {
namespace {

std::string picture_of(int seconds, const std::string& name = "train.py") {
  const FakeIncident incident;
  record::LedgerKeeper ledgers;
  Accounts accounts;
  Timeline timeline;
  verdict::Gauge gauge({});
  accounts.begin(incident.header());
  timeline.begin(incident.header());
  gauge.begin(incident.header());
  for (auto entry : incident.entries(seconds)) {
    if (auto* process = std::get_if<record::Process>(&entry)) process->name = name;
    ledgers.add(entry);
    accounts.add(entry, ledgers);
    timeline.add(entry, ledgers);
    gauge.add(entry, ledgers);
  }
  const auto verdicts = gauge.judge();
  return svg_chart({accounts, timeline, verdicts, "", {}});
}

TEST(SvgChart, OfTheIncidentShowsWhereItSettled) {
  const auto svg = picture_of(420);
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("settled at step 83"), std::string::npos);
  EXPECT_NE(svg.find("class=\"limit\""), std::string::npos);
  EXPECT_NE(svg.find("class=\"phase\""), std::string::npos);
  EXPECT_LT(svg.size(), 60'000u);
}

TEST(SvgChart, WhileItGrowsTheFutureIsDrawn) {
  EXPECT_NE(picture_of(120).find("class=\"fan\""), std::string::npos);
}

TEST(SvgChart, NamesAreNoMarkup) {
  const auto svg = picture_of(420, "<script>\"&");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(SvgChart, OfOneSampleThereIsNone) {
  EXPECT_EQ(picture_of(0), "");
}

}  // namespace
}  // namespace tidegauge::view
