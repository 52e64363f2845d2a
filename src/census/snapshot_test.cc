// SPDX-License-Identifier: Apache-2.0
// On live children of the test, which work all the while.
#include "census/snapshot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "census/spared.h"
#include "census/stopped.h"

namespace tidegauge::census {
namespace {

// What a child and the test both see.
struct Shared {
  std::atomic<std::uint64_t> rounds;
  std::atomic<std::uint64_t> errors;
  std::atomic<std::uint64_t> cell;  // in the child's own memory it counts along
};

class Busy {
 public:
  Busy() {
    void* const page =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (page) Shared{};
    pid_ = ::fork();
    if (pid_ == 0) work();
    while (shared_->rounds < 2) ::usleep(100);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(shared_, sizeof(Shared));
  }
  pid_t pid() const { return pid_; }
  Shared& shared() { return *shared_; }
  std::string children() const {
    std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", pid_));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  [[noreturn]] void work() {
    std::thread spin([this] {
      for (std::uint64_t i = 0;; ++i) shared_->cell = i;
    });
    // epoll_wait is not started again by the kernel after a stop; EINTR is its right to return.
    const int poll = ::epoll_create1(0);
    epoll_event event{};
    while (true) {
      if (::epoll_wait(poll, &event, 1, 1) < 0 && errno != EINTR) ++shared_->errors;
      ++shared_->rounds;
    }
  }

  Shared* shared_ = nullptr;
  pid_t pid_ = 0;
};

TEST(Snapshot, IsACopyThatStandsStillWhileTheTargetRunsOn) {
  Busy busy;
  {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    EXPECT_EQ(snapshot->mode(), Snapshot::Mode::Fork);
    EXPECT_NE(snapshot->readable_pid(), busy.pid());
    EXPECT_GT(snapshot->pause_ms(), 0);
    const auto seen = busy.shared().rounds.load();
    while (busy.shared().rounds < seen + 5) ::usleep(100);  // it runs
  }
  EXPECT_EQ(busy.children(), "") << "no copy and no zombie is left";
}

TEST(Snapshot, LeavesABusyTargetUnharmed) {
  Busy busy;
  for (int i = 0; i < 50; ++i) {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
  }
  const auto seen = busy.shared().rounds.load();
  while (busy.shared().rounds < seen + 5) ::usleep(100);
  EXPECT_EQ(busy.shared().errors, 0U);
  EXPECT_EQ(busy.children(), "");
}

std::string maps_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/maps", pid));
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Snapshot, LeavesOutWhatIsNotWantedAndTheTargetKeepsIt) {
  constexpr std::size_t kBytes = 8 << 20;
  void* const large =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(large, MAP_FAILED);
  Busy busy;  // has it, too, at the same place
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
  EXPECT_EQ(maps_of(busy.pid()), before);
  ::munmap(large, kBytes);
}

// The hand may be killed while it has something changed; whoever waits for it puts that back.
TEST(Snapshot, RestoresWhatAnotherHasLeftChanged) {
  constexpr std::size_t kBytes = 8 << 20;
  void* const large =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(large, MAP_FAILED);
  ASSERT_EQ(::madvise(large, kBytes, MADV_DOFORK), 0);
  Busy busy;
  const auto begin = reinterpret_cast<Address>(large);
  const Stretch spared[] = {{begin, begin + kBytes}};
  {
    auto stopped = Stopped::stop_first_thread(busy.pid());
    ASSERT_TRUE(stopped);
    const auto instruction = find_syscall_instruction(busy.pid());
    EXPECT_EQ(stopped->call({SYS_madvise, {begin, kBytes, MADV_DONTFORK, 0}}, instruction), 0);
  }
  std::byte one[1];
  {
    const auto without = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(without);
    EXPECT_FALSE(ProcessMemory(without->readable_pid()).read(begin, one));
  }
  Snapshot::restore(busy.pid(), spared);
  const auto whole = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(ProcessMemory(whole->readable_pid()).read(begin, one));
  ::munmap(large, kBytes);
}

TEST(Spared, AreTheLargeGapsBetweenWhatIsKept) {
  constexpr Address kMiB = 1 << 20;
  const std::vector<Stretch> all = {{0, 100 * kMiB}, {200 * kMiB, 210 * kMiB}};
  const std::vector<Stretch> kept = {{10 * kMiB, 11 * kMiB},
                                     {12 * kMiB, 40 * kMiB},
                                     {13 * kMiB, 14 * kMiB},
                                     {201 * kMiB, 209 * kMiB}};
  const auto gaps = gaps_between(all, kept);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].begin, 40 * kMiB);
  EXPECT_EQ(gaps[0].end, 100 * kMiB);
  EXPECT_EQ(gaps[1].begin, 0U);
  EXPECT_EQ(gaps[1].end, 10 * kMiB);
}

TEST(Snapshot, OfNobodyIsGone) {
  const auto snapshot = Snapshot::take(0x3fffffff, {});
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().reason, Reason::Gone);
}

// Whoever holds a snapshot may be killed: the target goes on, and the copy goes.
TEST(Snapshot, GoesWhenItsHolderIsKilled) {
  Busy busy;
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
  const auto seen = busy.shared().rounds.load();
  while (busy.shared().rounds < seen + 5) ::usleep(100);
  EXPECT_EQ(busy.shared().errors, 0U);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace tidegauge::census
