// SPDX-License-Identifier: Apache-2.0
#include "proc/newcomers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "proc/fake_process.h"
#include "proc/puppet.h"

namespace tidegauge::proc {
namespace {

using Pids = std::vector<pid_t>;

bool has(const Pids& pids, pid_t pid) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

// A /proc in which the kernel's counter can be believed, as far as Newcomers can tell.
class CountedPids : public ::testing::Test {
 protected:
  CountedPids() {
    const auto self = ::getpid();
    proc_.file("self/status",
               "Tgid:\t" + std::to_string(self) + "\nNSpid:\t" + std::to_string(self) + "\n");
  }
  void give_out(pid_t last) {
    proc_.file("loadavg", "0.00 0.01 0.05 1/100 " + std::to_string(last) + "\n");
  }
  FakeProc proc_;
};

TEST_F(CountedPids, OnlyTheNumbersInBetweenCanBeNew) {
  give_out(500);
  const auto root = *proc_.root();
  Newcomers newcomers(root);
  newcomers.look_at_all(root);
  EXPECT_EQ(newcomers.look(root), Pids{});
  give_out(503);
  EXPECT_EQ(newcomers.look(root), (Pids{501, 502, 503}));
  // Once more: a number is given out before its process can be seen.
  EXPECT_EQ(newcomers.look(root), (Pids{501, 502, 503}));
  EXPECT_EQ(newcomers.look(root), Pids{});
}

TEST_F(CountedPids, ManyNumbersAreLookedUpInTheListing) {
  give_out(500);
  const auto root = *proc_.root();
  Newcomers newcomers(root);
  newcomers.look_at_all(root);
  for (const pid_t pid : {499, 501, 4000, 5001}) FakeProcess{.pid = pid}.put_into(proc_);
  give_out(5000);
  EXPECT_EQ(newcomers.look(root), (Pids{501, 4000}));
}

TEST_F(CountedPids, NumbersGoAround) {
  give_out(32000);
  const auto root = *proc_.root();
  Newcomers newcomers(root);
  newcomers.look_at_all(root);
  for (const pid_t pid : {300, 310, 320, 32000, 32001}) FakeProcess{.pid = pid}.put_into(proc_);
  give_out(310);
  EXPECT_EQ(newcomers.look(root), (Pids{300, 310, 32001}));
}

TEST(Newcomers, ComparesListingsWhereTheNumbersAreOthers) {
  FakeProc proc;
  proc.file("loadavg", "0.00 0.01 0.05 1/100 500\n");  // but no "self" that is us
  FakeProcess{.pid = 7}.put_into(proc);
  const auto root = *proc.root();
  Newcomers newcomers(root);
  EXPECT_EQ(newcomers.look_at_all(root), (Pids{7}));
  FakeProcess{.pid = 3}.put_into(proc);
  EXPECT_EQ(newcomers.look(root), (Pids{3}));
  EXPECT_EQ(newcomers.look(root), (Pids{3}));
  EXPECT_EQ(newcomers.look(root), Pids{});
}

TEST(Newcomers, SeesARealChild) {
  const auto root = *Root::open("/proc");
  Newcomers newcomers(root);
  EXPECT_TRUE(has(newcomers.look_at_all(root), ::getpid()));
  const Puppet puppet;
  EXPECT_TRUE(has(newcomers.look(root), puppet.pid()));
}

}  // namespace
}  // namespace tidegauge::proc
