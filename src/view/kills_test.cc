// SPDX-License-Identifier: Apache-2.0
#include "view/kills.h"

#include <gtest/gtest.h>

#include "view/any_verdict.h"
#include "view/live_state.h"
#include "view/report_json.h"
#include "view/side_by_side.h"
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

// A job of two processes under a limit of 60 MiB, in a group below another one, watched for five
// seconds.
class Job {
 public:
  explicit Job(bool exclusive = true) : exclusive_(exclusive) {
    summary.begin({});
    summary.add(
        record::Process{.id = kJob, .name = "train.py", .command = "", .role = record::Role::Main});
    summary.add(record::Process{.id = kWorker, .parent = kJob, .name = "loader"});
    for (int i = 0; i < 5; ++i) sample(i, {kJob, kWorker});
  }
  void sample(int second, const std::vector<record::ProcessId>& living) {
    record::Sample out{.at_ns = second * kSecond};
    for (const auto& id : living) {
      const std::uint64_t bytes = id == kJob ? 30 << 20 : 20 << 20;
      out.processes.push_back({.id = id, .memory = {.rss = bytes, .anon = bytes}});
    }
    out.cgroups.push_back({.path = "/a/job",
                           .exclusive = exclusive_,
                           .limit = 60 << 20,
                           .current = used,
                           .file = cached});
    out.cgroups.push_back(
        {.path = "/a", .limit = 100 << 20, .current = used_above, .file = cached_above});
    out.machine = record::Machine{.total = 8ull << 30, .available = available};
    summary.add(out);
  }
  // A kill in the job's group is counted by that and by the one above.
  void kill(int second) {
    count(second, "/a/job");
    count(second, "/a");
  }
  void count(int second, const char* group) {
    summary.add(record::Event{
        .at_ns = second * kSecond, .kind = record::EventKind::OomKill, .name = group, .value = 1});
  }
  void exit(int second, const record::ProcessId& id, std::optional<double> status = {}) {
    summary.add(record::Event{.at_ns = second * kSecond,
                              .kind = record::EventKind::Exited,
                              .process = id,
                              .value = status});
  }
  std::string said() const { return kill_sentence(summary.accounts(), Tense::Over); }
  bool was_killed() const { return job_was_killed(summary.accounts()); }

  Summary summary{};
  std::uint64_t available = 6ull << 30;
  std::uint64_t used = 55 << 20, cached = 0;
  std::uint64_t used_above = 80 << 20, cached_above = 0;

 private:
  bool exclusive_;
};

TEST(Kills, WhereNobodyWasKilledNothingIsSaid) {
  const Job job;
  EXPECT_EQ(job.said(), "");
  EXPECT_FALSE(job.was_killed());
  EXPECT_FALSE(killed(job.summary.accounts(), Tense::Over));
}

TEST(Kills, NamesTheOneThatEndedThenAndTheLimit) {
  Job job;
  job.exit(5, kJob);
  job.kill(5);
  job.sample(5, {kWorker});
  job.sample(8, {kWorker});
  EXPECT_EQ(job.said(),
            "The kernel killed train.py (pid 494): out of memory under the cgroup limit of "
            "60.0\u00A0MiB, 3.0\u00A0s before the end.");
  EXPECT_TRUE(job.was_killed());
  const auto known = killed(job.summary.accounts(), Tense::Over);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->of_job);
  EXPECT_EQ(known->pid, 494);
  EXPECT_EQ(known->name, "train.py");
  EXPECT_EQ(known->cgroup, "/a/job");
  EXPECT_EQ(known->limit_bytes, 60u << 20);
  EXPECT_EQ(known->times, 1u) << "the group above has counted the same one";
  EXPECT_EQ(known->at, 5);
}

TEST(Kills, OfSeveralThatEndedAtOnceNobodyKnowsWhich) {
  Job job;
  job.kill(5);
  job.exit(5, kJob);
  job.exit(5, kWorker);
  job.sample(5, {});
  EXPECT_TRUE(has(job.said(), "killed a process of the job: out of memory")) << job.said();
  EXPECT_TRUE(has(job.said(), ", at the end.")) << job.said();
  EXPECT_FALSE(killed(job.summary.accounts(), Tense::Over)->pid);
}

TEST(Kills, AStrangerInTheSameGroupIsNotTheJob) {
  Job job(false);
  job.kill(5);
  job.sample(5, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(),
                  "killed a process in the job's cgroup: out of memory under the "
                  "cgroup limit of 60.0"))
      << job.said();
  EXPECT_FALSE(job.was_killed());
}

TEST(Kills, AStrangerInAGroupAboveIsNotTheJobThoughThatIsAloneInItsOwn) {
  Job job;
  job.exit(5, kWorker);
  job.count(5, "/a");
  job.sample(5, {kJob});
  EXPECT_EQ(job.said(),
            "The kernel killed a process in cgroup /a, above the job's: out of memory, at the "
            "end.");
  EXPECT_FALSE(job.was_killed());
}

TEST(Kills, WhoHeldMuchMayTakeSecondsToDie) {
  for (const bool known : {true, false}) {
    Job job(false);
    job.kill(5);
    for (int i = 5; i < 13; ++i) job.sample(i, {kJob, kWorker});
    EXPECT_FALSE(job.was_killed());
    job.exit(13, kJob, known ? std::optional(137.0) : std::nullopt);
    job.sample(13, {kWorker});
    EXPECT_TRUE(has(job.said(), "killed train.py (pid 494): out of memory")) << job.said();
    EXPECT_TRUE(has(job.said(), ", 8.0\u00A0s before the end.")) << job.said();
    EXPECT_TRUE(job.was_killed());
  }
}

TEST(Kills, WhoHeldLittleOrEndsMuchLaterWasNotKilledThen) {
  Job job(false);
  job.kill(5);
  for (int i = 5; i < 8; ++i) job.sample(i, {kJob, kWorker});
  job.exit(8, kWorker);  // how, nobody knows; train.py was larger, and lives
  for (int i = 8; i < 16; ++i) job.sample(i, {kJob});
  job.exit(16, kJob, 137);
  job.sample(16, {});
  EXPECT_TRUE(has(job.said(), "killed a process in the job's cgroup:")) << job.said();
  EXPECT_FALSE(job.was_killed());
}

TEST(Kills, LooksMayBeFarApart) {
  Job job(false);
  job.kill(30);  // the header says that there is one every second
  job.sample(30, {kJob, kWorker});
  job.exit(60, kWorker);
  job.sample(60, {kJob});
  EXPECT_TRUE(has(job.said(), "killed loader (pid 500):")) << job.said();
  EXPECT_TRUE(job.was_killed());
}

TEST(Kills, WhoEndedByItselfWasNotKilled) {
  Job job(false);
  job.exit(5, kWorker, 0);
  job.kill(5);
  job.sample(5, {kJob});
  job.exit(6, kJob, 1);
  job.sample(6, {});
  EXPECT_TRUE(has(job.said(), "killed a process in the job's cgroup:")) << job.said();
  EXPECT_FALSE(job.was_killed());
}

TEST(Kills, NorWhoHadEndedBefore) {
  Job job(false);
  job.exit(5, kWorker, 137);
  job.sample(5, {kJob});
  job.kill(6);
  job.sample(6, {kJob});
  EXPECT_FALSE(job.was_killed()) << job.said();
}

TEST(Kills, WhoDiedOfTheSignalIsNamedAmongThoseThatEndedThen) {
  Job job;
  job.exit(5, kJob, 137);
  job.exit(5, kWorker);
  job.kill(5);
  job.sample(5, {});
  EXPECT_TRUE(has(job.said(), "killed train.py (pid 494):")) << job.said();
}

TEST(Kills, WhoEndsBecauseOfItIsNotTheVictim) {
  Job job;
  job.exit(5, kWorker);
  job.kill(5);
  job.sample(5, {kJob});
  job.exit(6, kJob);  // a loader that has lost its worker gives up
  job.sample(6, {});
  EXPECT_TRUE(has(job.said(), "killed loader (pid 500):")) << job.said();
}

TEST(Kills, AreNotForgottenForAStrangersLater) {
  Job job(false);
  job.exit(5, kWorker, 137);
  job.kill(5);
  job.sample(5, {kJob});
  job.kill(20);
  job.sample(20, {kJob});
  job.count(21, "/a");
  job.sample(21, {kJob});
  EXPECT_TRUE(has(job.said(), "killed loader (pid 500):")) << job.said();
  EXPECT_FALSE(has(job.said(), "times")) << job.said();
  EXPECT_TRUE(job.was_killed());
  job.exit(40, kJob, 137);
  job.kill(40);
  job.sample(40, {});
  EXPECT_TRUE(has(job.said(), "killed train.py (pid 494):")) << job.said();
  EXPECT_TRUE(has(job.said(), ", at the end (2 times).")) << job.said();
}

TEST(Kills, AreNotForgottenWhereManyEndAfterwards) {
  Job job(false);
  job.exit(5, kWorker, 137);
  job.kill(5);
  job.sample(5, {kJob});
  for (int i = 0; i < 40; ++i) {  // larger ones, which are kept instead
    const record::ProcessId id{1000 + i, 7};
    job.summary.add(record::Process{.id = id, .name = "cc1"});
    record::Sample sample{.at_ns = (6 + i) * kSecond};
    sample.processes.push_back({.id = id, .memory = {.rss = 1 << 30, .anon = 1 << 30}});
    job.summary.add(sample);
    job.exit(7 + i, id, 0);
  }
  EXPECT_FALSE(job.summary.accounts().processes.contains(kWorker));
  EXPECT_TRUE(has(job.said(), "killed loader (pid 500):")) << job.said();
  EXPECT_TRUE(job.was_killed());
}

TEST(Kills, AMachineThatHadLessLeftThanTheGroupIsNamedInstead) {
  Job job;
  job.available = 1 << 20;
  job.sample(5, {kJob, kWorker});
  job.kill(6);
  job.sample(6, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(), "out of memory on this machine, at the end.")) << job.said();
  EXPECT_FALSE(killed(job.summary.accounts(), Tense::Over)->limit_bytes);
}

TEST(Kills, OfSeveralLimitsTheOneWithLeastLeftIsNamed) {
  Job job;
  job.used_above = 99 << 20;
  job.sample(5, {kJob, kWorker});
  job.kill(6);
  job.sample(6, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(), "under the cgroup limit of 100\u00A0MiB")) << job.said();
}

TEST(Kills, PageCacheFillsNoGroup) {
  Job job;
  job.used_above = 100 << 20;
  job.cached_above = 40 << 20;
  job.sample(5, {kJob, kWorker});
  job.kill(6);
  job.sample(6, {kJob, kWorker});
  EXPECT_TRUE(has(job.said(), "under the cgroup limit of 60.0\u00A0MiB")) << job.said();
}

TEST(Kills, TheLiveViewTellsWhenItBecomesKnownWhoItWas) {
  Job job(false);
  EXPECT_EQ(job.summary.accounts().oom_kills.news(), 0u);
  job.kill(5);
  job.sample(5, {kJob, kWorker});
  EXPECT_EQ(job.summary.accounts().oom_kills.news(), 1u);
  job.exit(7, kJob, 137);
  EXPECT_EQ(job.summary.accounts().oom_kills.news(), 2u);
}

// A worker was killed: the job lives on, or not.
Job after_a_kill(bool lives) {
  Job job;
  job.kill(5);
  job.exit(5, kWorker);
  if (!lives) job.exit(5, kJob, 1);
  job.sample(5, lives ? std::vector{kJob} : std::vector<record::ProcessId>{});
  return job;
}

TEST(Kills, AreTheFirstThingBelowTheHeadline) {
  for (const bool lives : {true, false}) {
    const auto job = after_a_kill(lives);
    verdict::Verdicts verdicts{.all = {incident_at_step_70()}};
    verdicts.all.front().job_ended = !lives;
    const std::string note = lives ? "Look again at step 103" : "A run to step 103 would tell.";
    const auto text = job.summary.text(verdicts, {.unicode = false, .columns = 120});
    const auto first = text.find("\nThe kernel killed loader (pid 500): out of memory");
    ASSERT_NE(first, text.npos) << text;
    EXPECT_LT(first, text.find(note)) << text;
    EXPECT_LT(text.find(note), text.find("Linear growth")) << text;
    EXPECT_EQ(has(text, "Look again"), lives) << text;
    const auto markdown = job.summary.markdown(verdicts);
    const auto top = markdown.substr(0, markdown.find("## "));
    EXPECT_TRUE(has(top, "\n\n**The kernel killed loader (pid 500): out of memory")) << markdown;
    EXPECT_LT(top.find("The kernel"), top.find(note)) << markdown;
    EXPECT_TRUE(has(top, note)) << markdown;
  }
}

TEST(Kills, StandBesideTheNoteSideBySideToo) {
  for (const bool lives : {true, false}) {
    const auto job = after_a_kill(lives);
    verdict::Verdicts verdicts{.all = {incident_at_step_70()}};
    verdicts.all.front().job_ended = !lives;
    const Timeline timeline;
    const Report report{job.summary.accounts(), timeline, verdicts};
    const std::vector<Side> sides = {side_of(report, "one"), side_of(report, "two")};
    const std::string note = lives ? "Look again at step 103" : "A run to step 103 would tell.";
    for (const auto& text :
         {side_by_side_text(sides, {}, 400), side_by_side_markdown(sides, {}, "")}) {
      const auto first = text.find("The kernel killed loader (pid 500): out of memory");
      ASSERT_NE(first, text.npos) << text;
      EXPECT_LT(first, text.find(note)) << text;
      EXPECT_TRUE(has(text, note)) << text;
    }
  }
}

TEST(Kills, AreAnAlarmInTheLiveView) {
  const auto job = after_a_kill(true);
  const verdict::Verdicts verdicts{.all = {incident_at_step_70()}};
  const auto line = status_line(live_state(job.summary.accounts(), verdicts));
  EXPECT_TRUE(has(line, "OUT OF MEMORY: The kernel killed loader (pid 500)")) << line;
  EXPECT_TRUE(has(line, "just now.")) << line;
}

}  // namespace
}  // namespace tidegauge::view
