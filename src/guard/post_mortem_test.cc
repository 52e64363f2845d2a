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

}  // namespace
}  // namespace tidegauge::guard
