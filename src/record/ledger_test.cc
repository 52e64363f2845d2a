// SPDX-License-Identifier: Apache-2.0
#include "record/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "record/watched_tree.h"

namespace tidegauge::record {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

double mib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / kMiB;
}

TEST(Ledger, OfOneProcessIsItsCounters) {
  LedgerKeeper keeper;
  Sample sample;
  sample.processes.push_back({.id = {7, 1},
                              .memory = {.rss = 60,
                                         .anon = 10,
                                         .file = 20,
                                         .shmem = 30,
                                         .swap = 4,
                                         .hugetlb = 500,
                                         .page_tables = 6,
                                         .locked = 9,
                                         .gpu = 7000}});
  const auto ledger = keeper.add(sample);
  EXPECT_EQ(ledger.anon, 10u);
  EXPECT_EQ(ledger.file, 20u);
  EXPECT_EQ(ledger.shmem, 30u);
  EXPECT_EQ(ledger.swap, 4u);
  EXPECT_EQ(ledger.page_tables, 6u);
  EXPECT_EQ(ledger.hugetlb, 500u);
  EXPECT_EQ(ledger.gpu, 7000u);
  EXPECT_EQ(ledger.total, 570u);
  EXPECT_FALSE(ledger.charged);
}

TEST(Ledger, KindsThatNobodyToldAreEmptyAndTheRestStillCounts) {
  LedgerKeeper keeper;
  Sample sample;
  sample.processes.push_back({.id = {7, 1}, .memory = {.rss = 100}});
  sample.processes.push_back({.id = {8, 1}, .memory = {.rss = 100, .anon = 70}});
  sample.processes.push_back({.id = {9, 1}, .memory = {.uss = 5}});
  sample.processes.push_back({.id = {10, 1}});
  const auto ledger = keeper.add(sample);
  EXPECT_EQ(ledger.anon, 70u);
  EXPECT_FALSE(ledger.file);
  EXPECT_FALSE(ledger.swap);
  EXPECT_EQ(ledger.total, 205u);
}

TEST(Ledger, OfNobodyIsNothing) {
  LedgerKeeper keeper;
  const auto ledger = keeper.add(Sample{});
  EXPECT_EQ(ledger.total, 0u);
  EXPECT_FALSE(ledger.anon);
}

TEST(Ledger, WorkersThatShareTheirParentsPagesAddNothing) {
  WatchedTree watched;
  const auto parent = watched.tree.start();
  watched.tree.grow(parent, 400);
  EXPECT_EQ(mib(watched.look_deep().total), 400);
  std::vector<ProcessId> workers;
  for (int i = 0; i < 24; ++i) workers.push_back(watched.tree.fork(parent));
  EXPECT_EQ(mib(watched.look().total), 400) << "at the fork";
  for (const auto& worker : workers) EXPECT_EQ(mib(watched.look({worker}).total), 400);
  EXPECT_EQ(mib(watched.look({parent}).total), 400) << "all walked";
  for (const auto& worker : workers) {
    watched.tree.exit(worker);
    EXPECT_EQ(mib(watched.look().total), 400) << "as they leave";
  }
}

TEST(Ledger, SaysWhatEachProcessAddsToTheTotal) {
  WatchedTree watched;
  const auto parent = watched.tree.start();
  watched.tree.grow(parent, 400);
  watched.look_deep();
  const auto worker = watched.tree.fork(parent);
  watched.look();
  watched.tree.grow(worker, 30);
  watched.look();
  EXPECT_EQ(mib(watched.keeper.own(parent)), 400);
  EXPECT_EQ(mib(watched.keeper.own(worker)), 30) << "not what it shares with its parent";
  EXPECT_EQ(watched.keeper.own({9999, 1}), 0u);
}

// The numbers of a tree that was measured: each worker writes to a quarter of 400 MB.
TEST(Ledger, AWalkShowsWhatAWorkerHasWrittenTo) {
  WatchedTree watched;
  const auto parent = watched.tree.start();
  watched.tree.grow(parent, 400);
  watched.look_deep();
  std::vector<ProcessId> workers;
  for (int i = 0; i < 24; ++i) {
    workers.push_back(watched.tree.fork(parent));
    watched.tree.grow(workers.back(), 10);
  }
  EXPECT_EQ(mib(watched.look().total), 640) << "what they grew by is seen at once";
  for (const auto& worker : workers) watched.tree.write(worker, 100);
  EXPECT_EQ(mib(watched.look().total), 640) << "no counter tells of a copied page";
  double before = 640;
  for (const auto& worker : workers) {
    const double now = mib(watched.look({worker}).total);
    EXPECT_NEAR(now - before, 100, 1);
    before = now;
  }
  EXPECT_NEAR(before, 640 + 2400, 1);
  EXPECT_NEAR(mib(watched.look({parent}).total), mib(watched.tree.truth()), 0.01);
}

TEST(Ledger, WhatAParentLeavesBehindIsStillCountedOnce) {
  WatchedTree watched;
  const auto parent = watched.tree.start();
  watched.tree.grow(parent, 400);
  for (int i = 0; i < 5; ++i) watched.tree.fork(parent);
  watched.look();
  watched.tree.free(parent, 300);
  EXPECT_EQ(mib(watched.look().total), 400) << "its children still hold what it freed";
  watched.tree.exit(parent);
  for (const auto& child : watched.tree.living()) {
    EXPECT_EQ(mib(watched.look().total), 400);
    watched.tree.exit(child);
  }
  EXPECT_EQ(watched.look().total, 0u);
}

TEST(Ledger, EveryRankWithItsOwnWorkersCounts) {
  WatchedTree watched;
  const auto launcher = watched.tree.start();
  watched.tree.grow(launcher, 40);
  for (int i = 0; i < 8; ++i) {
    const auto rank = watched.tree.fork(launcher);
    watched.look();
    watched.tree.grow(rank, 1000);
    watched.look();
    watched.tree.fork(rank);
    watched.tree.fork(rank);
  }
  EXPECT_EQ(mib(watched.look().total), 8040);
}

TEST(Ledger, ALaunchedProgramIsNotACopy) {
  WatchedTree watched;
  const auto main = watched.tree.start();
  watched.tree.grow(main, 5000);
  watched.look();
  const auto helper = watched.tree.fork(main);
  EXPECT_EQ(mib(watched.look().total), 5000);
  watched.keeper.add(watched.tree.exec(helper, "nvidia-smi"));
  watched.tree.grow(helper, 30);
  EXPECT_EQ(mib(watched.look().total), 5030);
  watched.tree.exit(helper);
  EXPECT_EQ(mib(watched.look().total), 5000);
}

TEST(Ledger, AWorkerThatRenamesItselfIsStillACopy) {
  WatchedTree watched;
  const auto main = watched.tree.start();
  watched.tree.grow(main, 5000);
  watched.look();
  const auto worker = watched.tree.fork(main);
  Process process{.id = worker, .parent = main, .command = "ray::IDLE"};
  watched.tree.news();
  watched.keeper.add(process);
  EXPECT_EQ(mib(watched.look().total), 5000);
}

TEST(Ledger, LibrariesAndSegmentsMappedByManyCountOnce) {
  WatchedTree watched;
  const auto main = watched.tree.start();
  watched.tree.map_file(main, 0, 300);
  watched.tree.map_shmem(main, 0, 64);
  watched.look();
  for (int i = 0; i < 24; ++i) {
    const auto worker = watched.tree.fork(main);
    watched.look();
    watched.tree.map_file(worker, 100, 300);
    watched.tree.map_shmem(worker, 0, 64);
  }
  auto ledger = watched.look();
  EXPECT_EQ(mib(*ledger.file), 300);
  EXPECT_EQ(mib(*ledger.shmem), 64);
  ledger = watched.look_deep();
  EXPECT_NEAR(mib(*ledger.file), 300, 0.01);
  EXPECT_NEAR(mib(*ledger.shmem), 64, 0.01);
}

TEST(Ledger, WhatStrangersShareIsStillTheTrees) {
  LedgerKeeper keeper;
  Sample sample;
  sample.processes.push_back({.id = {7, 1}, .memory = {.rss = 800, .anon = 500, .file = 300}});
  EXPECT_EQ(keeper.add(sample).total, 800u);
  // Somebody else has forked a copy of it, and another job runs the same libraries.
  auto& memory = sample.processes.front().memory;
  memory.uss = 100;
  memory.pss = 400;
  memory.pss_anon = 250;
  memory.pss_file = 150;
  EXPECT_EQ(keeper.add(sample).total, 800u);
  memory.uss = memory.pss = memory.pss_anon = memory.pss_file = {};
  EXPECT_EQ(keeper.add(sample).total, 800u);
}

TEST(Ledger, PinnedMemoryOfEachLaunchedRankCounts) {
  WatchedTree watched;
  const auto launcher = watched.tree.start("torchrun train.py");
  watched.look();
  for (int i = 0; i < 4; ++i) {
    const auto rank = watched.tree.fork(launcher);
    watched.tree.exec(rank, "python train.py");
    watched.tree.map_shmem(rank, i * 1000, i * 1000 + 1000);
  }
  EXPECT_EQ(mib(*watched.look().shmem), 4000);
}

TEST(Ledger, SwappedPagesCountOnceAndNeverExceedWhatIsSwapped) {
  LedgerKeeper keeper;
  const ProcessId parent{10, 1};
  keeper.add(Process{.id = parent, .command = "job"});
  keeper.add(Process{.id = {11, 2}, .parent = parent, .command = "job"});
  Sample sample;
  sample.processes.push_back(
      {.id = parent, .memory = {.anon = 100, .file = 0, .shmem = 0, .swap = 50}});
  sample.processes.push_back(
      {.id = {11, 2}, .memory = {.anon = 100, .file = 0, .shmem = 0, .swap = 50}});
  auto ledger = keeper.add(sample);
  EXPECT_EQ(ledger.swap, 50u);
  EXPECT_EQ(ledger.total, 150u);
  sample.machine = Machine{.swap_total = 1000, .swap_free = 970};
  EXPECT_EQ(keeper.add(sample).swap, 30u);
}

TEST(Ledger, HoldsTheCgroupsChargeAgainstItOnlyIfTheJobHasItToItself) {
  WatchedTree watched;
  const auto main = watched.tree.start();
  watched.tree.grow(main, 100);
  watched.tree.map_file(main, 0, 20);
  auto sample = watched.tree.sample({});
  sample.processes[0].memory.page_tables = 1 * kMiB;
  sample.cgroups.push_back({.path = "/job", .current = 180 * kMiB, .swap = 2 * kMiB});
  EXPECT_FALSE(watched.look(sample).charged);
  sample.cgroups[0].exclusive = true;
  const auto ledger = watched.look(sample);
  EXPECT_EQ(ledger.charged, 182 * kMiB);
  EXPECT_EQ(ledger.unexplained, static_cast<std::int64_t>(61 * kMiB));
}

TEST(Ledger, ACgroupOfItsOwnShowsCopiedPagesBetweenWalks) {
  WatchedTree watched;
  const auto parent = watched.tree.start();
  watched.tree.grow(parent, 400);
  const auto look = [&](bool exclusive, const std::set<ProcessId>& walked) {
    auto sample = watched.tree.sample(walked);
    sample.cgroups.push_back({.path = "/job",
                              .exclusive = exclusive,
                              .current = watched.tree.truth(),
                              .anon = watched.tree.truth()});
    return mib(watched.look(sample).total);
  };
  EXPECT_EQ(look(true, {}), 400);
  std::vector<ProcessId> workers;
  for (int i = 0; i < 10; ++i) workers.push_back(watched.tree.fork(parent));
  EXPECT_EQ(look(true, {}), 400);
  for (const auto& worker : workers) watched.tree.write(worker, 100);
  EXPECT_EQ(look(true, {}), 1400);
  EXPECT_EQ(look(false, {}), 1400) << "a stranger in the group for a moment changes nothing";
  for (const auto& worker : workers) EXPECT_NEAR(look(false, {worker}), 1400, 1) << "nor do walks";
  EXPECT_EQ(look(true, {}), 1400);
}

TEST(Ledger, ACgroupThatCannotBeRightIsNotBelieved) {
  WatchedTree watched;
  const auto main = watched.tree.start();
  watched.tree.grow(main, 1000);
  auto sample = watched.tree.sample({});
  for (const std::uint64_t wrong :
       {100 * kMiB, 9000 * kMiB}) {  // moved in late; not ours after all
    sample.cgroups = {{.path = "/job", .exclusive = true, .current = wrong, .anon = wrong}};
    EXPECT_EQ(mib(watched.look(sample).total), 1000);
  }
}

TEST(Ledger, SaysWhenNothingHasChanged) {
  LedgerKeeper keeper;
  Sample sample{.processes = {{.id = {7, 1}, .memory = {.rss = 60, .anon = 10}}}};
  keeper.add(sample);
  EXPECT_FALSE(keeper.as_before()) << "it is the first";
  const auto first = keeper.last().total;
  sample.at_ns += 1'000'000'000;
  EXPECT_EQ(keeper.add(sample).total, first);
  EXPECT_TRUE(keeper.as_before());
  keeper.add(Event{.kind = EventKind::Step, .value = 3});
  keeper.add(sample);
  EXPECT_TRUE(keeper.as_before()) << "a step changes nothing here";
  sample.processes[0].activity.threads = 9;
  keeper.add(sample);
  EXPECT_FALSE(keeper.processes_as_before());
  sample.processes[0].memory.pss = 30;
  for (int walk = 0; walk < 2; ++walk) {
    keeper.add(sample);
    EXPECT_FALSE(keeper.as_before()) << "each walk counts";
  }
}

TEST(Ledger, WhatTheKernelChargesTheGroupIsNewThoughTheProcessesAreNot) {
  LedgerKeeper keeper;
  Sample sample{.processes = {{.id = {7, 1}, .memory = {.rss = 60, .anon = 60}}}};
  sample.cgroups.push_back({.path = "/job", .exclusive = true, .current = 100});
  keeper.add(sample);
  sample.cgroups[0].current = 120;
  EXPECT_EQ(keeper.add(sample).charged, 120u);
  EXPECT_TRUE(keeper.processes_as_before());
  EXPECT_FALSE(keeper.as_before());
}

// Told of a process again, it looks at everything anew.
TEST(LedgerLaws, WhatIsNotLookedAtAgainIsAsIfItWere) {
  EXPECT_TRUE(rc::check([] {
    WatchedTree quick, thorough;
    const Process again{.id = {1, 1}, .name = "x"};  // nobody of the tree
    const auto main = quick.tree.start();
    thorough.tree.start();
    for (const int bytes : *rc::gen::container<std::vector<int>>(20, rc::gen::inRange(0, 3))) {
      for (auto* one : {&quick, &thorough}) one->tree.grow(main, bytes);
      thorough.keeper.add(again);
      const auto walked = bytes == 2 ? std::set<ProcessId>{main} : std::set<ProcessId>{};
      const auto a = quick.look(walked);
      const auto b = thorough.look(walked);
      RC_ASSERT(a.total == b.total);
      RC_ASSERT(a.anon == b.anon);
      RC_ASSERT(quick.keeper.own(main) == thorough.keeper.own(main));
      RC_ASSERT(!thorough.keeper.as_before());
    }
  }));
}

TEST(Ledger, ForgetsThoseWhoLeft) {
  WatchedTree watched;
  auto last = watched.tree.start();
  watched.tree.grow(last, 10);
  watched.look();
  for (int i = 0; i < 1000; ++i) {  // each one forks its successor and a short-lived helper
    const auto next = watched.tree.fork(last);
    const auto helper = watched.tree.fork(last);
    watched.look();
    watched.tree.exit(last);
    watched.look();
    watched.tree.exit(helper);
    EXPECT_EQ(mib(watched.look().total), 10);
    last = next;
  }
  EXPECT_LE(watched.keeper.remembered(), 2u);
  for (int i = 0; i < 1000; ++i) watched.keeper.add(Process{.id = {i + 10000, 1}});  // never seen
  watched.look();
  EXPECT_LE(watched.keeper.remembered(), 2u);
}

}  // namespace
}  // namespace tidegauge::record
