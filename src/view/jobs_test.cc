// SPDX-License-Identifier: Apache-2.0
#include "view/jobs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/fake_incident.h"
#include "view/page.h"

namespace tidegauge::view {
namespace {

using Json = nlohmann::json;

struct Watched {
  explicit Watched(int seconds, std::string name = "train.py") {
    const FakeIncident incident;
    verdict::Gauge gauge({});
    record::LedgerKeeper ledgers;
    accounts.begin(incident.header());
    timeline.begin(incident.header());
    gauge.begin(incident.header());
    for (auto entry : incident.entries(seconds)) {
      if (auto* process = std::get_if<record::Process>(&entry);
          process != nullptr && process->role == record::Role::Main) {
        process->name = name;
        process->command = name;
      }
      ledgers.add(entry);
      accounts.add(entry, ledgers);
      timeline.add(entry, ledgers);
      gauge.add(entry, ledgers);
    }
    verdicts = gauge.judge();
  }
  JobNow now(std::string key) const {
    return {.key = std::move(key),
            .pid = 494,
            .recording = "/runs/a.tg",
            .accounts = accounts,
            .verdicts = verdicts};
  }

  Accounts accounts{};
  Timeline timeline{Timeline::kLive};
  verdict::Verdicts verdicts{};
};

TEST(Jobs, AreRowsWithTheWordsOfTheVerdict) {
  const Watched one(420);
  const Watched other(60);
  const JobNow jobs[] = {one.now("494-1"), other.now("495-2")};
  const auto list = Json::parse(jobs_json(jobs));
  EXPECT_EQ(list["schema"], "tidegauge/jobs/1");
  ASSERT_EQ(list["jobs"].size(), 2U);
  EXPECT_EQ(list["jobs"][0]["key"], "494-1");
  EXPECT_EQ(list["jobs"][0]["tag"], "Not a leak");
  EXPECT_EQ(list["jobs"][0]["recording"], "a.tg");
  EXPECT_EQ(list["jobs"][1]["tag"], "Cannot tell yet");
  EXPECT_EQ(list["jobs"][1]["tone"], "wait");
  EXPECT_EQ(Json::parse(jobs_json({}))["jobs"].size(), 0U);
}

TEST(Jobs, ALiveOneHoldsItsReportOnOneLine) {
  const Watched one(420);
  const auto text = live_json(one.now("494-1"), one.timeline);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto live = Json::parse(text);
  EXPECT_EQ(live["schema"], "tidegauge/live/1");
  EXPECT_EQ(live["job"]["ended"], false);
  EXPECT_EQ(live["report"]["schema"], "tidegauge/report/1");
}

TEST(Jobs, SayThatTheKernelKilledAndHowLongAgo) {
  Watched one(420);
  const FakeIncident incident;
  EXPECT_EQ(Json::parse(live_json(one.now("494-1"), one.timeline))["report"]["killed"], nullptr);
  record::LedgerKeeper ledgers;
  const auto at_ns = 418 * FakeIncident::kSecond;
  for (const auto kind : {record::EventKind::Exited, record::EventKind::OomKill}) {
    one.accounts.add(record::Event{.at_ns = at_ns, .kind = kind, .process = incident.trainer},
                     ledgers);
  }
  auto now = one.now("494-1");
  const std::string said = "The kernel killed train.py (pid 494): out of memory, 2.0\u00A0s ";
  EXPECT_EQ(Json::parse(live_json(now, one.timeline))["report"]["killed"]["words"], said + "ago.");
  EXPECT_EQ(Json::parse(jobs_json({&now, 1}))["jobs"][0]["killed"], said + "ago.");
  now.ended = true;
  EXPECT_EQ(Json::parse(live_json(now, one.timeline))["report"]["killed"]["words"],
            said + "before the end.");
  EXPECT_EQ(Json::parse(jobs_json({&now, 1}))["jobs"][0]["killed"], said + "before the end.");
}

TEST(Jobs, BeforeAnythingIsKnownThereIsStillARow) {
  const Accounts accounts;
  const verdict::Verdicts verdicts;
  const JobNow jobs[] = {{.key = "1-1", .pid = 1, .accounts = accounts, .verdicts = verdicts}};
  EXPECT_EQ(Json::parse(jobs_json(jobs))["jobs"][0]["tag"], "Looking");
  EXPECT_NE(metrics_text(jobs, "1").find("tidegauge_up{"), std::string::npos);
}

// What docs/serve.md promises; tests/page reads it with another's parser.
TEST(Metrics, HaveALineForEachJob) {
  const Watched one(420);
  const Watched other(200);
  const JobNow jobs[] = {one.now("494-1"), other.now("495-2")};
  const auto text = metrics_text(jobs, "0.1.0");
  for (const char* const line :
       {"tidegauge_build_info{version=\"0.1.0\"} 1\n",
        "tidegauge_up{job_name=\"train.py\",pid=\"494\",key=\"494-1\"} 1\n",
        "tidegauge_verdict{job_name=\"train.py\",pid=\"494\",key=\"494-1\",tidegauge_verdict="
        "\"warm_up\"} 1\n",
        "tidegauge_verdict{job_name=\"train.py\",pid=\"494\",key=\"495-2\",tidegauge_verdict="
        "\"undecided\"} 1\n",
        "tidegauge_limit_reached_seconds{job_name=\"train.py\",pid=\"494\",key=\"495-2\",at="
        "\"p50\"} ",
        "tidegauge_step{job_name=\"train.py\",pid=\"494\",key=\"494-1\"} 139\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "is not in\n" << text;
  }
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(Metrics, AreNotBrokenByNames) {
  const Watched one(30, "a\"} 1\n# EOF\\\xff");
  const JobNow jobs[] = {one.now("494-1")};
  const auto text = metrics_text(jobs, "0.1.0");
  EXPECT_EQ(text.find("\n# EOF"), text.size() - 7) << text;
  EXPECT_NE(text.find("job_name=\"a\\\"} 1"), std::string::npos) << text;
}

TEST(LivePage, MayAskItsServerAndNobodyElse) {
  constexpr std::string_view kPage =
      "<meta content=\"default-src 'none'; connect-src 'none'\">{\"tidegauge\":\"data\"}<script>";
  const auto page = live_page(kPage);
  EXPECT_NE(page.find("connect-src 'self'\""), std::string::npos) << page;
  EXPECT_NE(page.find("\"tidegauge/live/1\""), std::string::npos) << page;
  EXPECT_EQ(page_with(kPage, "{}").find("'self'"), std::string::npos);
}

}  // namespace
}  // namespace tidegauge::view
