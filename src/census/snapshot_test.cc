// SPDX-License-Identifier: Apache-2.0
// On live children of the test, which work all the while.
#include "census/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "census/busy_target.h"
#include "census/stopped.h"

namespace tidegauge::census {
namespace {

TEST(Snapshot, IsACopyThatStandsStillWhileTheTargetRunsOn) {
  const BusyTarget busy;
  {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    EXPECT_EQ(snapshot->mode(), Snapshot::Mode::Fork);
    EXPECT_NE(snapshot->readable_pid(), busy.pid());
    EXPECT_GT(snapshot->pause_ms(), 0);
    busy.wait_for_rounds();  // it runs
  }
  EXPECT_EQ(busy.children(), "") << "no copy and no zombie is left";
}

// While the copy is there, one more of it looks after that; but a program of one thread may look
// whether it is one.
TEST(Snapshot, LeavesATargetOfOneThreadOne) {
  using FirstThread = BusyTarget::FirstThread;
  const BusyTarget alone(FirstThread::Waits, 1);
  const BusyTarget two;
  const auto threads = two.threads().size();
  if (alone.threads().size() != 1) GTEST_SKIP() << "a sanitizer has threads of its own";
  {
    const auto of_one = Snapshot::take(alone.pid(), {});
    const auto of_two = Snapshot::take(two.pid(), {});
    ASSERT_TRUE(of_one && of_two);
    EXPECT_EQ(of_one->mode(), Snapshot::Mode::Fork);
    while (alone.threads().size() != 1) ::usleep(100);
    EXPECT_EQ(two.threads().size(), threads + 1);
    EXPECT_NE(alone.children(), "");
  }
  EXPECT_EQ(alone.children(), "");
  while (two.threads().size() != threads) ::usleep(100);
  EXPECT_EQ(alone.errors() + two.errors(), 0U);
}

class OfEachKind : public ::testing::TestWithParam<BusyTarget::FirstThread> {};

TEST_P(OfEachKind, LeavesABusyTargetUnharmed) {
  const BusyTarget busy(GetParam());
  for (int i = 0; i < 50; ++i) {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
  }
  busy.wait_for_rounds();
  EXPECT_EQ(busy.errors(), 0U);
  EXPECT_EQ(busy.children(), "");
}

INSTANTIATE_TEST_SUITE_P(Snapshot, OfEachKind,
                         ::testing::Values(BusyTarget::FirstThread::Waits,
                                           BusyTarget::FirstThread::Computes,
                                           BusyTarget::FirstThread::TakesSignals));

std::string maps_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/maps", pid));
  return {std::istreambuf_iterator<char>(in), {}};
}

// What ends in the target goes a moment after we let go of it. As they are at last, if that is not
// how they are `wanted`.
std::string maps_once(pid_t pid, const std::string& wanted) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(10);
  auto maps = maps_of(pid);
  for (; maps != wanted && Clock::now() < end; maps = maps_of(pid)) ::usleep(1000);
  return maps;
}

TEST(Snapshot, LeavesOutWhatIsNotWantedAndTheTargetKeepsIt) {
  constexpr std::size_t kBytes = 8 << 20;
  void* const large =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(large, MAP_FAILED);
  const BusyTarget busy;  // has it, too, at the same place
  const auto begin = reinterpret_cast<Address>(large);
  const auto before = maps_of(busy.pid());
  {
    Snapshot::Wishes wishes;
    wishes.spared = {{begin, begin + kBytes}};
    const auto snapshot = Snapshot::take(busy.pid(), wishes);
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    std::byte one[1];
    EXPECT_FALSE(ProcessMemory(snapshot->readable_pid()).read(begin + kBytes / 2, one));
    EXPECT_TRUE(ProcessMemory(busy.pid()).read(begin + kBytes / 2, one));
  }
  const auto whole = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(whole);
  std::byte one[1];
  EXPECT_TRUE(ProcessMemory(whole->readable_pid()).read(begin + kBytes / 2, one))
      << "a child of the target has all of it again";
  EXPECT_EQ(maps_once(busy.pid(), before), before);
  ::munmap(large, kBytes);
}

// More than the kernel takes in one call, some of them unmapped since they were chosen.
TEST(Snapshot, LeavesOutAThousandStretchesAndMore) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kStretches = 1500;
  constexpr std::size_t kBytes = 2 * kStretches * kPage;
  void* const room =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  const auto begin = reinterpret_cast<Address>(room);
  Snapshot::Wishes wishes;
  for (std::size_t i = 0; i < kStretches; ++i) {
    wishes.spared.push_back({begin + 2 * i * kPage, begin + (2 * i + 1) * kPage});
  }
  const std::size_t gone[] = {0, 700, 701, kStretches - 1};
  for (const auto i : gone) {
    ASSERT_EQ(::munmap(static_cast<char*>(room) + 2 * i * kPage, kPage), 0);
  }
  const BusyTarget busy;
  const auto before = maps_of(busy.pid());
  std::byte one[1];
  {
    const auto snapshot = Snapshot::take(busy.pid(), wishes);
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    const ProcessMemory copy(snapshot->readable_pid());
    for (std::size_t i = 0; i < kStretches; ++i) {
      EXPECT_FALSE(copy.read(begin + 2 * i * kPage, one)) << i;
      EXPECT_TRUE(copy.read(begin + (2 * i + 1) * kPage, one)) << i;
    }
  }
  EXPECT_EQ(maps_once(busy.pid(), before), before) << "nothing is left of it";
  const auto whole = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(ProcessMemory(whole->readable_pid()).read(begin + 2 * kPage, one));
  ::munmap(room, kBytes);
}

int nice_of(pid_t pid) {
  return ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
}

TEST(Snapshot, TargetAndCopyHaveThePriorityThatTheTargetHad) {
  const BusyTarget busy;
  constexpr int kLow = 7;
  ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(busy.pid()), kLow), 0);
  const auto snapshot = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(snapshot) << snapshot.error().what;
  EXPECT_EQ(nice_of(busy.pid()), kLow);
  EXPECT_EQ(nice_of(snapshot->readable_pid()), kLow);
}

TEST(Snapshot, OfNobodyIsGone) {
  const auto snapshot = Snapshot::take(0x3fffffff, {});
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().reason, Reason::Gone);
}

pid_t hand_of(pid_t holder) {
  std::ifstream in(fmt::format("/proc/self/task/{}/children", holder));
  for (pid_t child = 0; in >> child;) {
    std::ifstream name(fmt::format("/proc/{}/comm", child));
    std::string word;
    if (name >> word && word == "tidegauge-hand") return child;
  }
  return 0;
}

// The hand may be, too: then we let the target forget the copy.
TEST(Snapshot, LeavesNothingWhenItsHandIsKilled) {
  const BusyTarget busy;
  {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    const pid_t hand = hand_of(::gettid());
    ASSERT_GT(hand, 0);
    ::kill(hand, SIGKILL);
  }
  EXPECT_EQ(busy.children(), "");
  busy.wait_for_rounds();
  EXPECT_EQ(busy.errors(), 0U);
}

// Before it has said a word, too: then there is no snapshot, and that is all.
TEST(Snapshot, IsRefusedWhenItsHandIsKilledAtOnce) {
  const BusyTarget busy;
  std::atomic<bool> enough = false;
  std::atomic<int> killed = 0;
  std::thread killer([&, holder = ::gettid()] {
    while (!enough) {
      const pid_t hand = hand_of(holder);
      if (hand > 0 && ::kill(hand, SIGKILL) == 0) ++killed;
    }
  });
  int refused = 0;
  for (int i = 0; i < 3 || refused == 0; ++i) {  // ctest's limit ends a wait in vain
    const auto snapshot = Snapshot::take(busy.pid(), {});
    if (!snapshot) ++refused;
  }
  enough = true;
  killer.join();
  EXPECT_GT(killed, 0);
  EXPECT_EQ(busy.children(), "");
  busy.wait_for_rounds();
  EXPECT_EQ(busy.errors(), 0U);
}

// Whoever holds a snapshot may be killed: the target goes on, and the copy goes.
TEST(Snapshot, GoesWhenItsHolderIsKilled) {
  const BusyTarget busy;
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    const char word = snapshot ? 'y' : 'n';
    if (::write(ready[1], &word, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char word = 0;
  ASSERT_EQ(::read(ready[0], &word, 1), 1);
  ASSERT_EQ(word, 'y');
  EXPECT_NE(busy.children(), "");
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  while (!busy.children().empty()) ::usleep(1000);  // ctest's limit ends a wait in vain
  busy.wait_for_rounds();
  EXPECT_EQ(busy.errors(), 0U);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace tidegauge::census
