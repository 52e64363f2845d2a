// SPDX-License-Identifier: Apache-2.0
#include "guard/post_mortem.h"

#include <gtest/gtest.h>
#include <sys/xattr.h>

#include "record/temp_folder.h"

namespace tidegauge::guard {
namespace {

constexpr const char* kEarlyoom =
    "mem avail:   120 of 15904 MiB ( 0.76%), swap free:    0 of    0 MiB ( 0.00%)\n"
    "low memory! at or below SIGTERM limits: mem 10.00%, swap 10.00%\n"
    "sending SIGTERM to process 4711 uid 1000 \"python\": badness 812, VmRSS 14012 MiB\n";
constexpr const char* kOomd =
    "Considered 3 cgroups for killing, top candidates were:\n"
    "Killed /user.slice/user-1000.slice/run-7.scope due to memory pressure for /user.slice being "
    "81.20% > 50.00% for > 20s with reclaim activity\n";

TEST(PostMortem, EarlyoomNamesTheProcess) {
  EXPECT_EQ(killer_in(kEarlyoom, {4711}, {}).killer, Killer::Earlyoom);
  EXPECT_TRUE(killer_in(kEarlyoom, {12, 4711}, {}).line.starts_with("sending SIGTERM"));
  EXPECT_EQ(killer_in(kEarlyoom, {471, 47110}, {}).killer, Killer::None) << "somebody else's";
  EXPECT_EQ(killer_in("sending SIGTERM to process\n", {4711}, {}).killer, Killer::None);
}

TEST(PostMortem, OomdNamesTheGroup) {
  const std::string in = "/user.slice/user-1000.slice/run-7.scope";
  EXPECT_EQ(killer_in(kOomd, {}, {in}).killer, Killer::Oomd);
  EXPECT_EQ(killer_in(kOomd, {}, {in + "/tidegauge-8-9"}).killer, Killer::Oomd);
  for (const auto& other : {in + "2", std::string("/user.slice"), std::string("/")}) {
    EXPECT_EQ(killer_in(kOomd, {}, {other}).killer, Killer::None) << other;
  }
  EXPECT_EQ(killer_in("Killed / due to memory used\n", {}, {"/a"}).killer, Killer::None);
}

TEST(PostMortem, NothingIsSaidOfNothing) {
  EXPECT_EQ(killer_in("", {1}, {"/a"}).killer, Killer::None);
  EXPECT_EQ(killer_in("\n\n \n", {1}, {"/a"}).killer, Killer::None);
  EXPECT_EQ(oomd_kills({"/nowhere"}), -1);
}

TEST(PostMortem, OomdMarksTheGroup) {
  const record::TempFolder folder;
  if (::setxattr(folder.path().c_str(), "user.oomd_kill", "7", 1, 0) != 0) {
    GTEST_SKIP() << "this file system keeps no such marks";
  }
  EXPECT_EQ(oomd_kills({"/nowhere", folder.path()}), 7);
}

// Whose limit it was: what moved between two counts, and what can be seen at all.
TEST(PostMortem, WhatMovedTellsWhoseLimitItWas) {
  constexpr std::int64_t kNot = -1;
  struct Case {
    const char* what;
    std::int64_t own, above, stalls;  // that were counted more; -1: it is not known
    bool hidden_above;
    KillCause cause;
  };
  const Case cases[] = {
      {"own group", 3, 0, 0, false, KillCause::OwnLimit},
      {"own group in a container", 3, 0, 0, true, KillCause::OwnLimit},
      {"own group, others not to be read", 3, kNot, kNot, true, KillCause::OwnLimit},
      {"a group above", 0, 2, 0, false, KillCause::LimitAbove},
      {"a group above in a container", 0, 2, 0, true, KillCause::LimitAbove},
      {"one that cannot be read", 0, kNot, 0, false, KillCause::LimitAbove},
      {"one that cannot be seen", 0, 0, 0, true, KillCause::LimitAbove},
      {"the machine", 0, 0, 5, false, KillCause::Machine},
      {"the machine, or one that cannot be seen", 0, 0, 5, true, KillCause::Unknown},
      {"the machine, or one that cannot be read", 0, kNot, 5, false, KillCause::Unknown},
      {"own group full of page cache, and the machine", 3, 0, 5, false, KillCause::Unknown},
      {"own group full of page cache, and one above", 3, 2, 0, false, KillCause::Unknown},
      {"one above full of page cache, and the machine", 0, 2, 5, false, KillCause::Unknown},
      {"nothing moved", 0, 0, 0, false, KillCause::Unknown},
      {"nothing can be read", kNot, kNot, kNot, true, KillCause::Unknown},
      {"an old kernel does not count the own group's", kNot, 0, 0, false, KillCause::Unknown},
      {"no count of the machine", 0, 0, kNot, false, KillCause::Unknown},
  };
  for (const auto& one : cases) {
    const auto at = [](std::int64_t more) { return more == kNot ? kNot : 40 + more; };
    const KillCounts before{.own = 0, .hits_own = 40, .hits_above = 40, .machine = 7, .stalls = 40};
    const KillCounts after{.own = 1,
                           .hits_own = at(one.own),
                           .hits_above = at(one.above),
                           .machine = 8,
                           .stalls = at(one.stalls)};
    EXPECT_EQ(cause_of(before, after, one.hidden_above), one.cause) << one.what;
  }
}

// What was hit hours ago is no evidence of who killed just now.
TEST(PostMortem, OnlyTheLastLooksCount) {
  KillCounts counts{.own = 0, .hits_own = 0, .hits_above = 0, .machine = 0, .stalls = 0};
  KillWatch watch;
  watch.look(counts);
  counts.stalls = 100;  // at some time the machine was short
  watch.look(counts);
  for (int look = 0; look < 3; ++look) watch.look(counts);
  EXPECT_EQ(watch.cause(), KillCause::Unknown);
  counts.hits_above = 7;  // a moment before the kill was counted
  watch.look(counts);
  counts.own = 1;
  watch.look(counts);
  EXPECT_EQ(watch.cause(), KillCause::LimitAbove);
  watch.look(counts);
  EXPECT_EQ(watch.cause(), KillCause::LimitAbove) << "it stays so";
  counts.own = 2;
  counts.hits_own = 1;
  watch.look(counts);
  EXPECT_EQ(watch.cause(), KillCause::OwnLimit) << "the last one counts";
}

TEST(PostMortem, AGroupThatIsGoneTellsNothing) {
  KillWatch watch;
  watch.look({.own = 0, .hits_own = 0, .hits_above = 0, .machine = 0, .stalls = 0});
  watch.look({.machine = 1, .stalls = 0});
  EXPECT_EQ(watch.cause(), KillCause::Unknown);
}

}  // namespace
}  // namespace tidegauge::guard
