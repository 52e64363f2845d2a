// SPDX-License-Identifier: Apache-2.0
#include "view/kills.h"

#include <gtest/gtest.h>

#include "view/any_verdict.h"
#include "view/live_state.h"
#include "view/status_line.h"
#include "view/summary.h"

namespace tidegauge::view {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr record::ProcessId kJob{494, 1};
constexpr record::ProcessId kWorker{500, 2};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A job of two processes under a limit of 60 MiB, watched for five seconds.
class Killed {
 public:
  explicit Killed(bool exclusive = true) : exclusive_(exclusive) {
    summary.begin({});
    summary.add(
        record::Process{.id = kJob, .name = "train.py", .command = "", .role = record::Role::Main});
    summary.add(record::Process{.id = kWorker, .parent = kJob, .name = "loader"});
    for (int i = 0; i < 5; ++i) sample(i, {kJob, kWorker});
  }
  void sample(int second, const std::vector<record::ProcessId>& living) {
    record::Sample out{.at_ns = second * kSecond};
    for (const auto& id : living) {
      out.processes.push_back({.id = id, .memory = {.rss = 20 << 20, .anon = 20 << 20}});
    }
    out.cgroups.push_back(
        {.path = "/job", .exclusive = exclusive_, .limit = 60 << 20, .current = 55 << 20});
    out.machine = record::Machine{.total = 8ull << 30, .available = available};
    summary.add(out);
  }
  void kill(int second) {
    for (const char* group : {"/job", "/"}) {  // one kill, counted by both
      summary.add(record::Event{.at_ns = second * kSecond,
                                .kind = record::EventKind::OomKill,
                                .name = group,
                                .value = 1});
    }
  }
  void exit(int second, const record::ProcessId& id) {
    summary.add(
        record::Event{.at_ns = second * kSecond, .kind = record::EventKind::Exited, .process = id});
  }
  std::string said() const { return kill_sentence(summary.accounts(), Tense::Over); }

  Summary summary{};
  std::uint64_t available = 6ull << 30;

 private:
  bool exclusive_;
};

TEST(Kills, WhereNobodyWasKilledNothingIsSaid) {
  const Killed job;
  EXPECT_EQ(job.said(), "");
  EXPECT_FALSE(job_was_killed(job.summary.accounts()));
}

TEST(Kills, NamesTheOneThatEndedThenAndTheLimit) {
  Killed job;
  job.exit(5, kJob);
  job.kill(5);
  job.sample(5, {kWorker});
  job.sample(8, {kWorker});
  EXPECT_EQ(job.said(),
            "The kernel killed train.py (pid 494): out of memory under the cgroup limit of "
            "60.0\u00A0MiB, 3.0\u00A0s before the end.");
  EXPECT_TRUE(job_was_killed(job.summary.accounts()));
}

TEST(Kills, OfSeveralThatEndedAtOnceNobodyKnowsWhich) {
  Killed job;
  job.kill(5);
  job.exit(5, kJob);
  job.exit(5, kWorker);
  job.sample(5, {});
  EXPECT_TRUE(has(job.said(), "killed a process of the job: out of memory")) << job.said();
  EXPECT_TRUE(has(job.said(), ", at the end.")) << job.said();
}

TEST(Kills, AStrangerInTheSameGroupIsNotTheJob) {
  Killed job(false);
  job.kill(5);
  job.sample(5, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(), "killed a process in the job's cgroup:")) << job.said();
  EXPECT_FALSE(job_was_killed(job.summary.accounts()));
}

TEST(Kills, AMachineThatHadLessLeftThanTheGroupIsNamedInstead) {
  Killed job;
  job.available = 1 << 20;
  job.kill(5);
  job.sample(5, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(), "out of memory on this machine, at the end.")) << job.said();
}

TEST(Kills, AreTheFirstThingBelowTheHeadline) {
  Killed job;
  job.kill(5);
  job.exit(5, kWorker);
  job.sample(5, {kJob});
  const verdict::Verdicts verdicts{.all = {incident_at_step_70()}};
  const auto text = job.summary.text(verdicts, {.unicode = false, .columns = 120});
  const auto first = text.find("\nThe kernel killed loader (pid 500): out of memory");
  ASSERT_NE(first, text.npos) << text;
  EXPECT_LT(first, text.find("holds")) << text;
  EXPECT_FALSE(has(text, "Look again")) << "at what has ended?\n" << text;
  const auto markdown = job.summary.markdown(verdicts);
  EXPECT_TRUE(has(markdown, "\n\n**The kernel killed loader (pid 500): out of memory")) << markdown;
  EXPECT_LT(markdown.find("The kernel"), markdown.find("## ")) << markdown;
  EXPECT_FALSE(has(markdown.substr(0, markdown.find("## ")), "Look again")) << markdown;
  const auto line = status_line(live_state(job.summary.accounts(), verdicts));
  EXPECT_TRUE(has(line, "OUT OF MEMORY: The kernel killed loader (pid 500)")) << line;
  EXPECT_TRUE(has(line, "just now.")) << line;
}

}  // namespace
}  // namespace tidegauge::view
