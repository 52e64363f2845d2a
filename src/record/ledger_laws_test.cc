// SPDX-License-Identifier: Apache-2.0
// What holds of the ledger of any tree, whatever its processes do.
#include "record/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "record/fake_recording.h"
#include "record/watched_tree.h"

namespace tidegauge::record {
namespace {

// Any of them with the same chance, however far the test run has got.
int pick(int from, int to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, to));
}

// Does something random to the tree. Returns how many pages of it no counter can show: written to,
// freed while others hold them, mapped where others may have mapped them.
enum class Deeds { Visible, Private, All };

int do_something(FakeTree& tree, Deeds deeds) {
  const auto living = tree.living();
  if (living.empty()) {
    tree.grow(tree.start(), 5);
    return 0;
  }
  const auto id = living[static_cast<std::size_t>(pick(0, static_cast<int>(living.size())))];
  const auto pages = pick(1, 9);
  switch (pick(0, deeds == Deeds::Visible ? 4 : deeds == Deeds::Private ? 6 : 8)) {
    case 0:
    case 1:
      tree.grow(id, pages);
      return 0;
    case 2:
      living.size() < 12 ? tree.fork(id) : id;
      return 0;
    case 3:
      tree.exit(id);
      return 0;
    case 4:
      tree.write(id, pages);
      return pages;
    case 5:
      tree.free(id, pages);
      return pages;
    case 6:
      tree.map_file(id, pages, pages + 7);
      return 7;
    default:
      tree.map_shmem(id, pages, pages + 3);
      return 3;
  }
}

std::set<ProcessId> some_of(const std::vector<ProcessId>& ids) {
  std::set<ProcessId> out;
  for (const auto& id : ids) {
    if (pick(0, 4) == 0) out.insert(id);
  }
  return out;
}

std::uint64_t error_of(const Ledger& ledger, const FakeTree& tree) {
  const auto truth = tree.truth();
  return ledger.total > truth ? ledger.total - truth : truth - ledger.total;
}

constexpr std::uint64_t kRounding = 100;  // bytes; a page is a MiB

TEST(LedgerLaws, GrowthForksAndExitsAreSeenExactlyWhoeverIsWalked) {
  EXPECT_TRUE(rc::check([] {
    WatchedTree watched;
    for (int i = pick(1, 40); i > 0; --i) {
      do_something(watched.tree, Deeds::Visible);
      const auto ledger = watched.look(some_of(watched.tree.living()));
      RC_ASSERT(error_of(ledger, watched.tree) < kRounding);
    }
  }));
}

TEST(LedgerLaws, WhenAllWereWalkedTheSumOfPssIsExact) {
  EXPECT_TRUE(rc::check([] {
    WatchedTree watched;
    for (int i = pick(1, 40); i > 0; --i) {
      do_something(watched.tree, Deeds::All);
      if (pick(0, 2) == 0) watched.look(some_of(watched.tree.living()));
    }
    RC_ASSERT(error_of(watched.look_deep(), watched.tree) < kRounding);
  }));
}

TEST(LedgerLaws, TheErrorIsAtMostTwiceWhatNoCounterShows) {
  EXPECT_TRUE(rc::check([] {
    WatchedTree watched;
    std::uint64_t hidden_pages = 0;
    for (int i = pick(1, 40); i > 0; --i) {
      hidden_pages += static_cast<std::uint64_t>(do_something(watched.tree, Deeds::Private));
      const auto ledger =
          pick(0, 10) == 0 ? watched.look_deep() : watched.look(some_of(watched.tree.living()));
      RC_ASSERT(error_of(ledger, watched.tree) <= 2 * hidden_pages * FakeTree::kPage + kRounding);
    }
  }));
}

TEST(LedgerLaws, NeverMoreThanAllTogetherAndNobodyIsRememberedForEver) {
  EXPECT_TRUE(rc::check([] {
    WatchedTree watched;
    for (int i = pick(1, 40); i > 0; --i) {
      do_something(watched.tree, Deeds::All);
      const auto sample = watched.tree.sample(some_of(watched.tree.living()));
      std::uint64_t sum = 0;
      for (const auto& process : sample.processes) sum += *process.memory.rss;
      RC_ASSERT(watched.look(sample).total <= sum);
      RC_ASSERT(watched.keeper.remembered() <= 2 * sample.processes.size());
    }
  }));
}

TEST(LedgerLaws, SurvivesRecordingsThatNoKernelWouldWrite) {
  EXPECT_TRUE(rc::check([](unsigned seed) {
    LedgerKeeper keeper;
    for (const auto& entry : FakeRecording(seed).make(300).entries) {
      std::visit([&](const auto& value) { static_cast<void>(keeper.add(value)); }, entry);
      const auto* sample = std::get_if<Sample>(&entry);
      if (sample == nullptr) continue;
      RC_ASSERT(keeper.remembered() <= 2 * sample->processes.size());
    }
  }));
}

TEST(LedgerLaws, AnyNumbersAtAllDoNoHarm) {
  EXPECT_TRUE(rc::check([](std::vector<std::tuple<int, std::uint64_t, std::uint64_t>> seeds) {
    LedgerKeeper keeper;
    for (const auto& [pid, a, b] : seeds) {
      keeper.add(Process{.id = {pid, 1}, .parent = {pid / 2, 1}, .command = "x"});
      Sample sample;
      for (int i = 0; i < 3; ++i) {
        sample.processes.push_back({.id = {pid + i, 1},
                                    .memory = {.rss = a << i,
                                               .anon = b,
                                               .swap = a,
                                               .uss = b >> i,
                                               .pss = a,
                                               .pss_anon = b << i}});
      }
      keeper.add(sample);
    }
  }));
}

}  // namespace
}  // namespace tidegauge::record
