// SPDX-License-Identifier: Apache-2.0
#include "proc/run_time.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "proc/process_reader.h"
#include "proc/puppet.h"

namespace tidegauge::proc {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(RunTime, GrowsWithWhatAProcessDoesAndStaysWhileItSleeps) {
  Puppet puppet;
  const auto root = *Root::open("/proc");
  await_sleep(root, puppet.pid());
  const auto before = run_time_ns(puppet.pid());
  ASSERT_TRUE(before);
  EXPECT_GT(*before, 0);
  EXPECT_EQ(run_time_ns(puppet.pid()), before);
  ASSERT_EQ(puppet.tell("grow 8000000"), "done");
  await_sleep(root, puppet.pid());
  EXPECT_GT(*run_time_ns(puppet.pid()), *before);
}

TEST(RunTime, OfNobodyIsNotKnown) {
  Puppet puppet;
  const auto pid = puppet.pid();
  ::kill(pid, SIGKILL);
  puppet.reap();
  EXPECT_FALSE(run_time_ns(pid));
  EXPECT_FALSE(run_time_ns(0));
  EXPECT_FALSE(run_time_ns(-1));
}

// What it does is seen within two seconds, however long it has done nothing before.
TEST(RunTime, AProcessThatRestsIsLookedAtAgainWhenItRuns) {
  Puppet puppet;
  const auto root = *Root::open("/proc");
  Files files(*Root::open("/proc"), 10);
  files.trust_pids(true);
  await_sleep(root, puppet.pid());
  ProcessReader reader(parse_stat(*root.read(puppet.pid(), "stat"))->id);
  std::int64_t now = 0;
  int full = 0;
  for (; now < 40 * kSecond; now += kSecond) full += *reader.look(files, now, 1) ? 1 : 0;
  EXPECT_LE(full, 8);  // it was left alone
  const auto before = reader.last().memory.anon.value_or(0);
  ASSERT_EQ(puppet.tell("grow 8000000"), "done");
  await_sleep(root, puppet.pid());
  ASSERT_TRUE(reader.look(files, now, 1));
  ASSERT_TRUE(reader.look(files, now + kSecond, 1));
  EXPECT_GE(reader.last().memory.anon.value_or(0), before + 8'000'000);
  EXPECT_TRUE(files.run_time(puppet.pid()));
  files.trust_pids(false);
  EXPECT_FALSE(files.run_time(puppet.pid())) << "numbers of a folder are nobody's here";
}

}  // namespace
}  // namespace tidegauge::proc
