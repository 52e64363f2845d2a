// SPDX-License-Identifier: Apache-2.0
// On live children of the test: what a census does to its target, with whoever does it killed in
// between.
#include "census/helper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "census/busy_target.h"

namespace tidegauge::census {
namespace {

constexpr std::size_t kSparedBytes = 1 << 20;
// Exit code of one that gave up: a target is stopped within a tenth of a second or left alone.
constexpr int kHadNoTime = 3;

// Everything that is done to a target, one call after the other; the hand does the same.
[[noreturn]] void do_all_to(pid_t target, Stretch spared) {
  const auto stub = Stub::put_into(target);
  std::optional<Helper> helper;
  {
    const auto first_thread = Stopped::stop_first_thread(target);
    if (!stub || !first_thread) ::_exit(1);
    helper = Helper::make(*first_thread, *stub);
  }
  if (!helper || !helper->settle() || !helper->prepare({&spared, 1})) ::_exit(2);
  std::optional<Copy> copy;
  {
    const auto stopped = Stopped::stop(target, helper->tid());
    if (!stopped) ::_exit(kHadNoTime);
    copy = helper->make_copy();
  }
  if (!copy) ::_exit(4);
  helper->let_go();
  if (!copy->settle()) ::_exit(5);
  std::byte one[1];
  const bool has_it = ProcessMemory(copy->pid).read(spared.begin, one);
  copy->end();
  forget(target, *copy, WaitsForIt::Helper);
  ::_exit(has_it ? 6 : 0);
}

// Follows it through so many of its system calls, then kills it. Its status, if it has ended
// before.
std::optional<int> killed_after(pid_t worker, int calls) {
  int status = 0;
  ::waitpid(worker, &status, 0);  // its own stop
  ::ptrace(PTRACE_SETOPTIONS, worker, nullptr, static_cast<long>(PTRACE_O_TRACESYSGOOD));
  for (int stops = 0; stops < 2 * calls; ++stops) {
    ::ptrace(PTRACE_SYSCALL, worker, nullptr, 0L);
    ::waitpid(worker, &status, 0);
    if (!WIFSTOPPED(status)) return status;
  }
  ::kill(worker, SIGKILL);
  ::waitpid(worker, &status, 0);
  return {};
}

std::string forbidden_to_children(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/smaps", pid));
  std::string all;
  std::string mapping;
  for (std::string line; std::getline(in, line);) {
    if (line.find('-') < line.find(' ')) mapping = line;
    if (line.starts_with("VmFlags:") && line.find(" dc") != std::string::npos) all += mapping;
  }
  return all;
}

class Spares : public ::testing::Test {
 protected:
  void SetUp() override {
    room_ =
        ::mmap(nullptr, kSparedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(room_, MAP_FAILED);
  }
  void TearDown() override { ::munmap(room_, kSparedBytes); }
  Stretch spared() const {
    const auto begin = reinterpret_cast<Address>(room_);
    return {begin, begin + kSparedBytes};
  }
  std::optional<int> try_with(const BusyTarget& target, int calls) const {
    const pid_t worker = ::fork();
    if (worker == 0) {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      do_all_to(target.pid(), spared());
    }
    return killed_after(worker, calls);
  }

  void* room_ = nullptr;
};

// It is nobody's then: it would stand in the target for as long as we live.
TEST(Helper, GoesWhereTheCopyThatItIsToWaitForHasGone) {
  constexpr pid_t kGone = 0x3fffffff;
  const BusyTarget target;
  const auto threads = target.threads().size();
  {
    const auto stub = Stub::put_into(target.pid());
    ASSERT_TRUE(stub);
    std::optional<Helper> helper;
    for (int i = 0; i < 100 && !helper; ++i) {
      auto first_thread = Stopped::stop_first_thread(target.pid());
      ASSERT_TRUE(first_thread);
      helper = Helper::make(*first_thread, *stub);
    }
    ASSERT_TRUE(helper && helper->settle());
    helper->let_go_waiting_for({kGone});
  }
  for (int i = 0; i < 10'000 && target.threads().size() != threads; ++i) ::usleep(100);
  EXPECT_EQ(target.threads().size(), threads);
  target.wait_for_rounds();
  EXPECT_EQ(target.errors(), 0U);
}

class Killed : public Spares, public ::testing::WithParamInterface<BusyTarget::FirstThread> {};

TEST_P(Killed, AfterAnyOfItsCallsWhoeverHoldsTheTargetLeavesNothing) {
  const BusyTarget target(GetParam());
  const auto forbidden = forbidden_to_children(target.pid());
  const auto threads = target.threads().size();  // a sanitizer may have one of its own
  int calls = 0;
  int in_vain = 0;
  constexpr int kMostInVain = 20;
  for (;; ++calls) {
    const auto ended = try_with(target, calls);
    target.wait_for_rounds();
    while (target.threads().size() != threads) ::usleep(100);
    while (!target.children().empty()) ::usleep(100);
    ASSERT_EQ(forbidden_to_children(target.pid()), forbidden) << calls;
    ASSERT_EQ(target.errors(), 0U) << calls;
    if (!ended) continue;
    ASSERT_TRUE(WIFEXITED(*ended));
    if (WEXITSTATUS(*ended) == kHadNoTime && ++in_vain <= kMostInVain) {
      --calls;  // the same once more
      continue;
    }
    EXPECT_EQ(WEXITSTATUS(*ended), 0);
    break;
  }
  EXPECT_GT(calls, 30);
}

INSTANTIATE_TEST_SUITE_P(, Killed,
                         ::testing::Values(BusyTarget::FirstThread::Waits,
                                           BusyTarget::FirstThread::Computes,
                                           BusyTarget::FirstThread::TakesSignals));

}  // namespace
}  // namespace tidegauge::census
