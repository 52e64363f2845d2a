// SPDX-License-Identifier: Apache-2.0
// The collector on real processes, which do as they are told.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/personality.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "proc/collector.h"
#include "proc/puppet.h"
#include "proc/root.h"
#include "proc/smaps_rollup.h"

namespace tidegauge::proc {
namespace {

using record::EventKind;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMegabyte = 1 << 20;

// What a collector has told since it was opened.
class Watching {
 public:
  explicit Watching(pid_t pid, CollectOptions options = {.gpu = false})
      : collector_(std::move(*Collector::open({pid}, options))) {
    look();
  }

  const record::Sample& look(std::int64_t later_ns = kSecond) {
    events_.clear();
    now_ns_ += later_ns;
    for (const auto& entry : collector_.collect(now_ns_)) {
      if (const auto* event = std::get_if<record::Event>(&entry)) events_.push_back(*event);
      if (const auto* process = std::get_if<record::Process>(&entry)) {
        processes_[process->id.pid] = *process;
      }
      if (const auto* sample = std::get_if<record::Sample>(&entry)) sample_ = *sample;
    }
    for (const auto& process : sample_.processes) {
      if (process.memory.pss) shares_[process.id.pid] = process.memory;
    }
    return sample_;
  }
  // Until each member of the tree was walked over, or has had every chance to be.
  void look_until_all_have_shares() {
    for (int i = 0; i < 2000; ++i) {
      look();
      const auto& members = sample_.processes;
      if (std::all_of(members.begin(), members.end(),
                      [&](const auto& process) { return shares_.contains(process.id.pid); })) {
        return;
      }
    }
  }

  std::set<pid_t> pids() const {
    std::set<pid_t> pids;
    for (const auto& process : sample_.processes) pids.insert(process.id.pid);
    return pids;
  }
  const record::ProcessSample& of(pid_t pid) const {
    return *std::find_if(sample_.processes.begin(), sample_.processes.end(),
                         [&](const auto& process) { return process.id.pid == pid; });
  }
  std::vector<record::Event> events(EventKind kind) const {
    auto some = events_;
    std::erase_if(some, [&](const auto& event) { return event.kind != kind; });
    return some;
  }
  const record::Process& process(pid_t pid) { return processes_[pid]; }
  std::map<pid_t, record::Memory>& shares() { return shares_; }
  Collector& collector() { return collector_; }
  void forget() {
    processes_.clear();
    shares_.clear();
  }

 private:
  Collector collector_;
  std::int64_t now_ns_ = 0;
  record::Sample sample_;
  std::vector<record::Event> events_;
  std::map<pid_t, record::Process> processes_;
  std::map<pid_t, record::Memory> shares_;  // the last that were told, by pid
};

Rollup rollup_of(pid_t pid) {
  return *parse_smaps_rollup(*Root::open("/proc")->read(pid, "smaps_rollup"));
}

TEST(CollectorLive, CountsWhatAProcessTakes) {
  Puppet puppet;
  Watching watching(puppet.pid());
  const auto before = watching.of(puppet.pid()).memory;
  ASSERT_EQ(puppet.tell("grow 64000000"), "done");
  ASSERT_EQ(puppet.tell("shm 32000000"), "done");
  watching.look();
  const auto after = watching.of(puppet.pid()).memory;
  // Some kernels leave out what each core has not added up yet.
  EXPECT_NEAR(static_cast<double>(*after.anon - *before.anon), 64e6, 1e6);
  EXPECT_NEAR(static_cast<double>(*after.shmem - *before.shmem), 32e6, 1e6);
  EXPECT_EQ(*after.rss, *after.anon + *after.file + *after.shmem);
  EXPECT_GE(*after.peak_rss, *after.rss);
  EXPECT_GT(*after.page_tables, *before.page_tables);
}

TEST(CollectorLive, SeesFiveHundredChildrenComeAndGo) {
  Puppet puppet;
  Watching watching(puppet.pid());
  const auto children = puppet.pids_of("fork 500 0");
  ASSERT_EQ(children.size(), 500u);
  watching.look();
  EXPECT_EQ(watching.events(EventKind::Started).size(), 500u);
  EXPECT_EQ(watching.pids().size(), 501u);
  for (const auto child : children) EXPECT_TRUE(watching.pids().contains(child));
  EXPECT_EQ(watching.process(children[0]).parent.pid, puppet.pid());
  ASSERT_EQ(puppet.tell("end"), "done");
  watching.look();
  EXPECT_EQ(watching.events(EventKind::Exited).size(), 500u);
  EXPECT_EQ(watching.pids(), std::set<pid_t>{puppet.pid()});
}

bool addresses_are_steady() {
  constexpr unsigned long kOnlyAsk = 0xffffffff;
  return (::personality(kOnlyAsk) & ADDR_NO_RANDOMIZE) != 0;
}

TEST(CollectorLive, NoticesExecAndNames) {
  // A program that runs itself anew at the same addresses has the same image.
  if (addresses_are_steady()) GTEST_SKIP() << "addresses are not random here (setarch -R)";
  Puppet puppet;
  Watching watching(puppet.pid());
  ASSERT_EQ(puppet.tell("rename a) Z 1 (b"), "done");
  watching.look();
  EXPECT_EQ(watching.process(puppet.pid()).name, "a) Z 1 (b");
  EXPECT_EQ(watching.pids(), std::set<pid_t>{puppet.pid()});
  EXPECT_TRUE(watching.events(EventKind::Exec).empty());
  ASSERT_TRUE(puppet.tell("exec other").starts_with("ready"));
  watching.look();
  ASSERT_EQ(watching.events(EventKind::Exec).size(), 1u);
  EXPECT_TRUE(watching.process(puppet.pid()).command.starts_with("other "));
  // The same program under the same name once more.
  ASSERT_TRUE(puppet.tell("exec other").starts_with("ready"));
  watching.look();
  EXPECT_EQ(watching.events(EventKind::Exec).size(), 1u);
}

TEST(CollectorLive, KeepsTheGrandchildOfAnEndedChild) {
  Puppet puppet;
  Watching watching(puppet.pid());
  const auto both = puppet.pids_of("middle");
  watching.look();
  EXPECT_EQ(watching.pids(), (std::set<pid_t>{puppet.pid(), both[0], both[1]}));
  ASSERT_EQ(puppet.tell("drop_middle"), "done");
  watching.look();
  EXPECT_EQ(watching.pids(), (std::set<pid_t>{puppet.pid(), both[1]}));
  EXPECT_EQ(watching.process(both[1]).parent.pid, both[0]);  // the one that started it
}

TEST(CollectorLive, SeesIntoAnotherPidNamespace) {
  Puppet puppet;
  Watching watching(puppet.pid());
  const auto answer = puppet.tell("namespace");
  if (answer.starts_with("cannot")) GTEST_SKIP() << "no pid namespace of its own: " << answer;
  watching.look();
  EXPECT_EQ(watching.events(EventKind::Started).size(), 1u);
  EXPECT_EQ(watching.pids().size(), 2u);
  for (const auto& process : watching.look().processes) EXPECT_TRUE(process.memory.rss);
}

TEST(CollectorLive, TellsHowAProcessEnded) {
  Puppet puppet;
  Watching watching(puppet.pid());
  puppet.say("exit 7");
  puppet.await_end();  // it is a zombie now: we have not asked how it ended
  watching.look();
  const auto ended = watching.events(EventKind::Exited);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].value, 7);
  EXPECT_TRUE(watching.collector().all_gone());
  puppet.reap();
  watching.look();
  EXPECT_TRUE(watching.events(EventKind::Exited).empty());
}

TEST(CollectorLive, AProcessThatEndsUnderOurEyesIsJustGone) {
  Puppet puppet;
  Watching watching(puppet.pid());
  for (int round = 0; round < 20; ++round) {
    puppet.say("storm 50");  // children come and go while we look
    for (int i = 0; i < 5; ++i) {
      for (const auto& process : watching.look().processes) {
        const bool has_run = process.activity.minor_faults != 0u;
        EXPECT_EQ(process.memory.rss.has_value(), has_run);
      }
    }
    ASSERT_EQ(puppet.answer(), "done");
  }
  watching.look();
  watching.look();
  EXPECT_EQ(watching.pids(), std::set<pid_t>{puppet.pid()});
}

TEST(CollectorLive, ThreadsAreCountedAndNotTakenForProcesses) {
  Puppet puppet;
  Watching watching(puppet.pid());
  ASSERT_EQ(puppet.tell("threads 300"), "done");
  watching.look();
  EXPECT_EQ(watching.of(puppet.pid()).activity.threads, 301u);
  EXPECT_EQ(watching.pids().size(), 1u);
}

TEST(CollectorLive, CountsDescriptorsAndMappings) {
  Puppet puppet;
  Watching watching(puppet.pid());
  const auto& activity = watching.of(puppet.pid()).activity;
  const std::filesystem::directory_iterator fds("/proc/" + std::to_string(puppet.pid()) + "/fd");
  EXPECT_EQ(activity.fds, static_cast<std::uint64_t>(std::distance(begin(fds), end(fds))));
  const auto maps = Root::open("/proc")->read(puppet.pid(), "maps");
  EXPECT_EQ(activity.vmas,
            static_cast<std::uint64_t>(std::count(maps->begin(), maps->end(), '\n')));
}

TEST(CollectorLive, TheJobIsReportedNotItsWrapperNorItsWorkers) {
  Puppet job({"python3", TIDEGAUGE_PROGRAMS "job_tree.py", "20"});
  const auto pids = Puppet::pids_in(job.greeting());  // the job's own, then its workers'
  ASSERT_EQ(pids.size(), 21u);
  ASSERT_NE(pids[0], job.pid());
  Watching watching(job.pid());
  EXPECT_EQ(watching.pids().size(), 22u);
  ASSERT_EQ(job.tell("grow 50000000"), "done");
  ASSERT_EQ(job.tell("worker 7 20000000"), "done");
  watching.look();
  EXPECT_EQ(watching.process(job.pid()).role, record::Role::Wrapper);
  EXPECT_EQ(watching.process(pids[0]).role, record::Role::Main);
  for (std::size_t i = 1; i < pids.size(); ++i) {
    EXPECT_NE(watching.process(pids[i]).role, record::Role::Main);
    EXPECT_EQ(watching.process(pids[i]).parent.pid, pids[0]);
  }
  EXPECT_GE(watching.of(pids[8]).memory.anon.value_or(0), 20000000u);
  ASSERT_EQ(job.tell("end 3"), "done");
  watching.look();
  ASSERT_EQ(watching.events(EventKind::Exited).size(), 1u);
  EXPECT_EQ(watching.events(EventKind::Exited)[0].process.pid, pids[4]);
}

// Small ones are read off the kernel's own sum, big ones estimated from their page tables.
class CopyOnWrite : public ::testing::TestWithParam<int> {};

TEST_P(CopyOnWrite, SharesAddUpToWhatIsThere) {
  const auto megabytes = static_cast<std::uint64_t>(GetParam());
  Puppet puppet;
  ASSERT_EQ(puppet.tell("grow " + std::to_string(megabytes * kMegabyte)), "done");
  const auto children = puppet.pids_of("fork 6 25");  // each writes to a quarter of it
  Watching watching(puppet.pid());
  watching.look_until_all_have_shares();
  double pss = 0, true_pss = 0, uss = 0, true_uss = 0;
  for (const auto pid : watching.pids()) {
    const auto& memory = watching.shares()[pid];
    const auto rollup = rollup_of(pid);
    pss += static_cast<double>(memory.pss.value_or(0));
    true_pss += static_cast<double>(*rollup.pss);
    uss += static_cast<double>(memory.uss.value_or(0));
    true_uss += static_cast<double>(*rollup.uss);
  }
  // The whole once, and a quarter of it once for each child.
  const double truth = static_cast<double>(megabytes * kMegabyte) * (1 + 6 * 0.25);
  EXPECT_NEAR(true_pss / truth, 1, 0.1);  // the program itself is small
  EXPECT_NEAR(pss / true_pss, 1, 0.01);
  EXPECT_NEAR(uss / true_uss, 1, 0.02);
}

// Else it would seem to grow while we find out whose pages are whose.
TEST_P(CopyOnWrite, IsKnownFromTheFirstSampleOnWhereTheJobRunsAlready) {
  Puppet puppet;
  // The first look has its limit in seconds, and sanitizers are slow.
  const auto bytes = static_cast<std::size_t>(GetParam()) * kMegabyte / 4;
  ASSERT_EQ(puppet.tell("grow " + std::to_string(bytes)), "done");
  ASSERT_EQ(puppet.pids_of("fork 6 25").size(), 6u);
  std::size_t most = 0;
  // A walk is put off where somebody took our core in the middle of it.
  for (int attempt = 0; attempt < 50 && most < 7; ++attempt) {
    Watching watching(puppet.pid());
    most = std::max(most, watching.shares().size());
  }
  EXPECT_EQ(most, 7u);
}
INSTANTIATE_TEST_SUITE_P(SmallAndBig, CopyOnWrite, ::testing::Values(64, 600));

TEST(CollectorLive, HugePagesAreSharesToo) {
  Puppet puppet;
  ASSERT_EQ(puppet.tell("huge 500000000"), "done");
  Watching watching(puppet.pid());
  watching.look_until_all_have_shares();
  const auto pss = static_cast<double>(watching.shares()[puppet.pid()].pss.value_or(0));
  EXPECT_NEAR(pss / static_cast<double>(*rollup_of(puppet.pid()).pss), 1, 0.01);
}

TEST(CollectorLive, ASmallProcessIsWalkedOverAtFirstSightAndThenWhenItChanges) {
  Puppet puppet;
  await_sleep(*Root::open("/proc"), puppet.pid());  // what it does yet would be a change
  Watching watching(puppet.pid());
  EXPECT_TRUE(watching.of(puppet.pid()).memory.pss);
  for (int i = 0; i < 60; ++i) {
    watching.look();
    EXPECT_FALSE(watching.of(puppet.pid()).memory.pss);
  }
  ASSERT_EQ(puppet.tell("grow 20000000"), "done");
  watching.look();
  if (!watching.of(puppet.pid()).memory.pss) watching.look();  // it had been still for long
  EXPECT_GE(watching.of(puppet.pid()).memory.pss.value_or(0), 20000000u);
}

// What a process of another user sees of `pid`: its answer is its exit code.
int seen_by_nobody(pid_t pid) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(90);
    Watching watching(pid);
    for (int i = 0; i < 5; ++i) watching.look();
    const auto& process = watching.of(pid);
    const auto warnings = watching.collector().take_warnings();
    const auto helps = [](const std::string& text) { return text.find("root") != text.npos; };
    if (!process.memory.rss || !process.memory.swap) ::_exit(1);
    if (process.memory.pss || process.memory.uss || process.activity.vmas) ::_exit(2);
    if (std::count_if(warnings.begin(), warnings.end(), helps) != 1) ::_exit(3);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(CollectorLive, AProcessThatIsNotOursStillHasItsCountersAndOneWarning) {
  if (::getuid() == 0) {
    Puppet puppet;
    EXPECT_EQ(seen_by_nobody(puppet.pid()), 0);
  } else {
    EXPECT_EQ(seen_by_nobody(1), 0);
  }
}

TEST(CollectorLive, WithoutDeepScansThereAreNoShares) {
  Puppet puppet;
  Watching watching(puppet.pid(), {.deep_scans = false, .gpu = false});
  for (int i = 0; i < 20; ++i) watching.look();
  EXPECT_TRUE(watching.shares().empty());
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

TEST(CollectorLive, AForkStormLeavesNothingBehind) {
  Puppet puppet;
  Watching watching(puppet.pid());
  std::size_t heap = 0, descriptors = 0;
  for (int round = 0; round < 30; ++round) {
    ASSERT_EQ(puppet.pids_of("fork 40 0").size(), 40u);
    watching.look();
    EXPECT_EQ(watching.pids().size(), 41u);
    ASSERT_EQ(puppet.tell("end"), "done");
    ASSERT_EQ(puppet.tell("storm 100"), "done");
    watching.look();
    watching.forget();
    if (round == 5) heap = ::mallinfo2().uordblks;
    if (round == 5) descriptors = open_descriptors();
  }
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_LT(::mallinfo2().uordblks, heap + 64 * 1024);
}

TEST(CollectorLive, KeepsNoMoreFilesThanItMay) {
  Puppet puppet;
  ASSERT_EQ(puppet.pids_of("fork 50 0").size(), 50u);
  const auto before = open_descriptors();
  Watching watching(puppet.pid(), {.gpu = false, .most_kept_files = 20});
  watching.look();
  EXPECT_EQ(watching.pids().size(), 51u);
  EXPECT_LE(open_descriptors(), before + 20 + 40);  // the machine's and the cgroups' files
  ASSERT_EQ(puppet.tell("end"), "done");
  watching.look();
  EXPECT_EQ(watching.pids().size(), 1u);
}

}  // namespace
}  // namespace tidegauge::proc
