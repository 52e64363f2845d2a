// SPDX-License-Identifier: Apache-2.0
#include "proc/files.h"

#include <gtest/gtest.h>

#include <vector>

#include "proc/fake_proc.h"
#include "proc/puppet.h"

namespace tidegauge::proc {
namespace {

TEST(Files, AKeptFileTellsWhatIsInItNow) {
  FakeProc proc;
  proc.file(7, "statm", "1 2 3\n");
  Files files(*proc.root(), 10);
  KeptFile kept;
  EXPECT_EQ(*files.read(kept, 7, "statm"), "1 2 3\n");
  proc.file(7, "statm", "4 5 6\n");
  EXPECT_EQ(*files.read(kept, 7, "statm"), "4 5 6\n");
  EXPECT_EQ(files.kept(), 1u);
}

TEST(Files, NoMoreAreKeptThanAllowed) {
  FakeProc proc;
  for (pid_t pid = 1; pid <= 5; ++pid) proc.file(pid, "stat", "x");
  Files files(*proc.root(), 3);
  std::vector<KeptFile> kept(5);
  for (pid_t pid = 1; pid <= 5; ++pid) {
    EXPECT_EQ(*files.read(kept[static_cast<std::size_t>(pid - 1)], pid, "stat"), "x");
  }
  EXPECT_EQ(files.kept(), 3u);
  kept.erase(kept.begin());  // moves the others down
  EXPECT_EQ(files.kept(), 2u);
  kept.clear();
  EXPECT_EQ(files.kept(), 0u);
}

TEST(Files, AKeptFileOfAnEndedProcessIsGoneWhoeverHasItsPid) {
  Files files(*Root::open("/proc"), 10);
  KeptFile kept;
  {
    const Puppet puppet;
    ASSERT_TRUE(files.read(kept, puppet.pid(), "stat"));
  }
  const auto text = files.read(kept, 1, "stat");  // whichever pid we ask for
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().reason, Reason::Gone);
}

TEST(Files, WhatIsNotThereIsGone) {
  FakeProc proc;
  Files files(*proc.root(), 10);
  KeptFile kept;
  EXPECT_EQ(files.read(kept, 7, "stat").error().reason, Reason::Gone);
  EXPECT_EQ(files.read(7, "stat").error().reason, Reason::Gone);
  EXPECT_EQ(files.kept(), 0u);
}

}  // namespace
}  // namespace tidegauge::proc
