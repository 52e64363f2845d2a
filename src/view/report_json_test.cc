// SPDX-License-Identifier: Apache-2.0
#include "view/report_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/fake_incident.h"
#include "view/page.h"
#include "view/summary.h"
#include "view/unpacked.h"

namespace tidegauge::view {
namespace {

using Json = nlohmann::json;

std::string report_of(const std::vector<record::Entry>& entries, const record::Header& header) {
  record::LedgerKeeper ledgers;
  Accounts accounts;
  Timeline timeline;
  verdict::Gauge gauge({});
  accounts.begin(header);
  timeline.begin(header);
  gauge.begin(header);
  for (const auto& entry : entries) {
    ledgers.add(entry);
    accounts.add(entry, ledgers);
    timeline.add(entry, ledgers);
    gauge.add(entry, ledgers);
  }
  const auto verdicts = gauge.judge();
  return report_json({accounts, timeline, verdicts, "/runs/train.tg", {}});
}

// The columns of a packed table, by their ids; unpacked as the page does it.
std::map<std::string, std::vector<std::int64_t>> columns_of(const Json& table) {
  const auto bytes = inflated(from_base64(table["data"].get<std::string>()));
  std::string_view rest = bytes;
  std::map<std::string, std::vector<std::int64_t>> out;
  for (const auto& column : table["columns"]) {
    auto name = column["id"].get<std::string>();
    if (column.contains("label")) name += ":" + column["label"].get<std::string>();
    out[name] = take_column(rest, table["rows"]);
  }
  EXPECT_TRUE(rest.empty());
  return out;
}

TEST(ReportJson, OfTheIncidentHoldsWhatThePageShows) {
  const FakeIncident incident;
  const auto report = Json::parse(report_of(incident.entries(420), incident.header()));
  EXPECT_EQ(report["schema"], "tidegauge/report/1");
  EXPECT_EQ(report["title"], "train.py");
  EXPECT_EQ(report["verdicts"][0]["class"], "warm_up");
  EXPECT_EQ(report["verdicts"][0]["words"]["tag"], "Not a leak");
  EXPECT_TRUE(report["outlook"].contains("settled"));
  EXPECT_FALSE(report["outlook"].contains("fan"));
  EXPECT_EQ(report["outlook"]["segments"].size(), 2u);
  EXPECT_EQ(report["marks"]["phases"][0]["label"], "Evaluation");
  EXPECT_EQ(report["processes"].size(), 22u);
  for (const auto& process : report["processes"]) {  // of the wrapper and of workers, too
    EXPECT_EQ(process["kinds"].contains("anon"), process["kinds"].contains("file"));
    EXPECT_GT(process["kinds"]["anon"]["max"], 0) << process;
  }
  EXPECT_FALSE(report["evidence"].empty());
  EXPECT_FALSE(report["doubts"].empty());
  EXPECT_EQ(report["groups"][0], "20 compile workers: 7.81\u00A0GiB together, constant.");
}

TEST(ReportJson, SeriesUnpackToWhatWasSeen) {
  const FakeIncident incident;
  const auto report = Json::parse(report_of(incident.entries(420), incident.header()));
  const auto& tree = report["tree"];
  auto columns = columns_of(tree);
  ASSERT_EQ(tree["rows"], 421);
  const auto unit = tree["unit"].get<double>();
  EXPECT_EQ(columns["time"][420], 420'000);
  EXPECT_EQ(columns["step"][420] - 1, incident.step_at(420));
  const auto job = columns["band:train.py"];
  EXPECT_NEAR(static_cast<double>(job[420] - 1) * unit,
              static_cast<double>(incident.trainer_bytes(420) + (400 << 20)), 2 * unit + 40e6);
  // The evaluation lies above the floor; the floor never lies above the lowest.
  const auto evaluating = static_cast<std::size_t>(incident.eval_begin()) + 30;
  EXPECT_GT(static_cast<double>(columns["low_above_floor"][evaluating]) * unit, 3e9);
  for (const auto above : columns["low_above_floor"]) EXPECT_GE(above, 0);
  EXPECT_TRUE(columns.contains("kind:anonymous"));
  EXPECT_EQ(report["process_series"]["columns"].size(), 1 + 2 * 22u);
}

TEST(ReportJson, WhileItGrowsBothFuturesAreDrawn) {
  const FakeIncident incident;
  const auto report = Json::parse(report_of(incident.entries(120), incident.header()));
  ASSERT_EQ(report["verdicts"][0]["class"], "undecided");
  const auto& outlook = report["outlook"];
  EXPECT_GT(outlook["until"], outlook["now"]);
  EXPECT_TRUE(outlook.contains("limit"));
  EXPECT_TRUE(outlook.contains("fan"));
}

TEST(ReportJson, AJobThatCameBackIsARestart) {
  const FakeIncident incident;
  auto entries = incident.entries(60, 0);
  const record::ProcessId again{900, 9000};
  entries.emplace_back(record::Event{
      .at_ns = 61'000'000'000, .kind = record::EventKind::Exited, .process = incident.trainer});
  entries.emplace_back(
      record::Process{.id = again, .name = "train.py", .role = record::Role::Main});
  for (int i = 62; i < 80; ++i) {
    auto sample = incident.sample(i, 0);
    sample.processes[1].id = again;
    entries.emplace_back(sample);
  }
  const auto report = Json::parse(report_of(entries, incident.header()));
  EXPECT_EQ(report["restarts"], Json::array({62.0}));
}

TEST(ReportJson, OfNothingIsStillADocument) {
  const auto report = Json::parse(report_of({}, {}));
  EXPECT_TRUE(report["tree"].is_null());
  EXPECT_TRUE(report["processes"].empty());
}

TEST(Page, NothingInTheDataIsMarkup) {
  const auto page = page_with("<p>$&</p><script>{\"tidegauge\":\"data\"}</script>!",
                              R"({"a":"</script><!--<b>&)"
                              "\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAE"
                              R"("})");
  EXPECT_EQ(page,
            "<p>$&</p><script>{\"a\":\"\\u003C/script\\u003E\\u003C!--\\u003Cb\\u003E\\u0026"
            "\\u2028\\u2029\xE2\x80\xAE\"}</script>!");
  EXPECT_EQ(page_with("no place", "{}"), "");
}

TEST(Page, SafeJsonSaysTheSame) {
  const Json value = {{"name", "<a href=x>&\u2028\u2029 \xE2\x80"}};
  const auto text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  EXPECT_EQ(Json::parse(safe_in_script(text)), Json::parse(text));
}

}  // namespace
}  // namespace tidegauge::view
