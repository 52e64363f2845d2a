// SPDX-License-Identifier: Apache-2.0
#include "proc/find.h"

#include <gtest/gtest.h>

#include "proc/fake_proc.h"

namespace tidegauge::proc {
namespace {

void add(FakeProc& proc, pid_t pid, pid_t parent, const std::string& name, std::string command,
         char state = 'S') {
  std::string stat =
      std::to_string(pid) + " (" + name + ") " + state + " " + std::to_string(parent);
  for (int field = 5; field <= 52; ++field) stat += " 1";
  for (auto& c : command) {
    if (c == ' ') c = '\0';
  }
  proc.file(pid, "stat", stat + "\n").file(pid, "cmdline", command + '\0');
}

std::vector<pid_t> found(const FakeProc& proc, const std::string& pattern) {
  const auto pids = find_by_name(pattern, {.proc = proc.path()});
  EXPECT_TRUE(pids) << pattern;
  return pids ? *pids : std::vector<pid_t>{-1};
}

TEST(FindByName, LooksAtNameAndCommandLine) {
  FakeProc proc;
  add(proc, 100, 1, "python", "python3 train.py --lr 3");
  add(proc, 200, 1, "postgres", "/usr/bin/postgres -D x");
  EXPECT_EQ(found(proc, "train\\.py"), std::vector<pid_t>{100});
  EXPECT_EQ(found(proc, "^post"), std::vector<pid_t>{200});
  EXPECT_EQ(found(proc, "train.py --lr [0-9]"), std::vector<pid_t>{100});
  EXPECT_EQ(found(proc, "train|post"), (std::vector<pid_t>{100, 200}));
  EXPECT_TRUE(found(proc, "^rain").empty());
}

TEST(FindByName, OfATreeTheTopmostMatchCounts) {
  FakeProc proc;
  add(proc, 100, 1, "sh", "sh -c x");
  add(proc, 101, 100, "python", "python train.py");
  add(proc, 102, 101, "python", "python train.py");
  add(proc, 103, 102, "python", "python other.py");
  add(proc, 104, 103, "python", "python train.py");
  add(proc, 200, 1, "python", "python train.py");
  EXPECT_EQ(found(proc, "train"), (std::vector<pid_t>{101, 200}));
}

TEST(FindByName, PassesOverGaugesOurselvesAndTheDead) {
  FakeProc proc;
  const pid_t self = ::getpid();
  add(proc, 100, 1, "tidegauge", "/usr/bin/tidegauge watch --name train.py");
  add(proc, 90, 1, "sh", "sh -c train.py");
  add(proc, self, 90, "proc_test", "proc_test train.py");
  add(proc, 101, 1, "train.py", "", 'Z');
  EXPECT_TRUE(found(proc, "train").empty());
}

TEST(FindByName, AHostileNameIsJustAName) {
  FakeProc proc;
  add(proc, 100, 1, "a) Z 1 (b", "x");
  EXPECT_EQ(found(proc, "^a\\) Z"), std::vector<pid_t>{100});
}

TEST(FindByName, APatternThatIsNoneIsExplained) {
  const FakeProc proc;
  const auto wrong = find_by_name("tra(in", {.proc = proc.path()});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().reason, Reason::Malformed);
  EXPECT_NE(wrong.error().what.find("tra(in"), std::string::npos);
  EXPECT_GT(wrong.error().what.size(), std::string("pattern 'tra(in': ").size());
}

TEST(FindByName, ThisMachineHasAFirstProcessButWeAreBelowIt) {
  const auto pids = find_by_name(".", {});
  ASSERT_TRUE(pids);
  for (const auto pid : *pids) EXPECT_NE(pid, ::getpid());
}

}  // namespace
}  // namespace tidegauge::proc
