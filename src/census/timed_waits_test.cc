// SPDX-License-Identifier: Apache-2.0
#include "census/timed_waits.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "census/aside.h"
#include "census/stopped.h"

namespace tidegauge::census {
namespace {

TEST(TimeoutOfWait, IsTheThirdArgumentOfSigtimedwait) {
  EXPECT_EQ(timeout_of_wait("128 0x7ffe1 0x7ffe2 0x7ffe3 0x8 0x0 0x0 0x7ffd0 0x7f29a"), 0x7ffe3U);
}

TEST(TimeoutOfWait, IsNothingForWhoWaitsForEverOrElsewhere) {
  EXPECT_EQ(timeout_of_wait("128 0x7ffe1 0x7ffe2 0x0 0x8 0x0 0x0 0x7ffd0 0x7f29a"), std::nullopt);
  EXPECT_EQ(timeout_of_wait("232 0x3 0x7ffe2 0x7ffe3 0x8 0x0 0x0 0x7ffd0 0x7f29a"), std::nullopt);
}

TEST(TimeoutOfWait, IsNothingForWhoRunsOrMayNotBeLookedAt) {
  for (const auto* line :
       {"", "running", "-1 0x7ffd0 0x7f29a", "128", "128 0x1 0x2", "128 x y z"}) {
    EXPECT_EQ(timeout_of_wait(line), std::nullopt) << line;
  }
}

// A process that waits again and again, and notes how much was left of each wait that was cut
// short.
struct Notes {
  static constexpr int kMost = 64;
  int count = 0;
  std::array<double, kMost> left_ms{};
};

constexpr long kWaitMs = 150;

[[noreturn]] void wait_and_note(Notes& notes) {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
  for (double until_ms = now_ms() + kWaitMs;; until_ms = now_ms() + kWaitMs) {
    while (now_ms() < until_ms) {  // as Python does it
      const timespec left{0, static_cast<long>((until_ms - now_ms()) * 1e6)};
      if (::sigtimedwait(&one, nullptr, &left) >= 0 || errno != EINTR) continue;
      if (notes.count == Notes::kMost) continue;
      notes.left_ms[static_cast<std::size_t>(notes.count++)] = until_ms - now_ms();
    }
  }
}

TEST(TimedWaits, AreNotStoppedShortlyBeforeTheirEnd) {
  constexpr int kStops = 14;
  constexpr double kEnoughMs = 40;  // of the 100 that there are when it is let pass
  void* const page =
      ::mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& notes = *new (page) Notes;
  const pid_t child = ::fork();
  if (child == 0) wait_and_note(notes);
  for (int i = 0; i < kStops; ++i) {
    const timespec another_moment{0, (37 * i % kWaitMs) * 1'000'000};
    ::nanosleep(&another_moment, nullptr);
    TimedWaits(child).let_pass();
    const auto stopped = Stopped::stop(child);
    if (!stopped && stopped.error().reason == Reason::Denied) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      GTEST_SKIP() << stopped.error().what;
    }
    ASSERT_TRUE(stopped);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  int late = 0;
  for (int i = 0; i < notes.count; ++i) {
    if (notes.left_ms[static_cast<std::size_t>(i)] < kEnoughMs) ++late;
  }
  EXPECT_GE(notes.count, kStops / 2);
  // Of 14 stops at any moment 4 would be; a machine that keeps us waiting for 60 ms may make one.
  EXPECT_LE(late, 1);
  ::munmap(page, sizeof(Notes));
}

}  // namespace
}  // namespace tidegauge::census
