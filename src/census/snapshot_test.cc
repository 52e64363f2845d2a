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
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "census/haste.h"
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
  Busy busy;
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
  EXPECT_EQ(maps_of(busy.pid()), before) << "nothing is left of it";
  const auto whole = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(ProcessMemory(whole->readable_pid()).read(begin + 2 * kPage, one));
  ::munmap(room, kBytes);
}

int nice_of(pid_t pid) {
  return ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid));
}

TEST(Snapshot, TargetAndCopyHaveThePriorityThatTheTargetHad) {
  Busy busy;
  constexpr int kLow = 7;
  ASSERT_EQ(::setpriority(PRIO_PROCESS, static_cast<id_t>(busy.pid()), kLow), 0);
  const auto snapshot = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(snapshot) << snapshot.error().what;
  EXPECT_EQ(nice_of(busy.pid()), kLow);
  EXPECT_EQ(nice_of(snapshot->readable_pid()), kLow);
}

TEST(Haste, EndsWithWhoeverIsInAHurryOrIsPutBackForHim) {
  Busy busy;
  const auto stopped = Stopped::stop(busy.pid());
  ASSERT_TRUE(stopped);
  const int before = nice_of(busy.pid());
  Hastened hastened;
  {
    const Haste haste(busy.pid(), hastened);
    const bool allowed = hastened.tid != 0;
    EXPECT_EQ(nice_of(busy.pid()) < before, allowed && before > -20);
  }
  EXPECT_EQ(nice_of(busy.pid()), before);
  EXPECT_EQ(hastened.tid, 0);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(busy.pid()), before + 3);
  hastened.nice = before + 2;
  hastened.tid = busy.pid();
  hastened.put_back();
  // Down again is what not everybody may do.
  EXPECT_TRUE(nice_of(busy.pid()) == before + 2 || ::geteuid() != 0);
}

TEST(Snapshot, HasWhatWasMappedMeanwhileIntoAHole) {
  constexpr std::size_t kPart = 8 << 20;
  constexpr int kWritable = PROT_READ | PROT_WRITE;
  void* const room = ::mmap(nullptr, 3 * kPart, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  const auto begin = reinterpret_cast<Address>(room);
  const auto part = [&](std::size_t i) { return static_cast<char*>(room) + i * kPart; };
  ASSERT_EQ(::munmap(part(1), kPart), 0);
  for (const std::size_t i : {0U, 2U}) ASSERT_EQ(::mprotect(part(i), kPart, kWritable), 0);
  const Snapshot::Wishes wishes{.spared = {{begin, begin + 3 * kPart}},
                                .holes = {{begin + kPart, begin + 2 * kPart}}};
  std::byte one[1];
  const auto has = [&](const Snapshot& snapshot, std::size_t i) {
    return ProcessMemory(snapshot.readable_pid()).read(begin + i * kPart + kPart / 2, one);
  };
  {
    Busy busy;
    const auto snapshot = Snapshot::take(busy.pid(), wishes);
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    for (const std::size_t i : {0U, 1U, 2U}) EXPECT_FALSE(has(*snapshot, i));
  }
  ASSERT_EQ(
      ::mmap(part(1), kPart, kWritable, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
      part(1));
  Busy busy;  // has it, as if it had come meanwhile
  const auto snapshot = Snapshot::take(busy.pid(), wishes);
  ASSERT_TRUE(snapshot) << snapshot.error().what;
  EXPECT_TRUE(has(*snapshot, 1));
  for (const std::size_t i : {0U, 2U}) EXPECT_FALSE(has(*snapshot, i));
  ::munmap(room, 3 * kPart);
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
    EXPECT_EQ(stopped->caller(instruction).call({SYS_madvise, {begin, kBytes, MADV_DONTFORK}}), 0);
  }
  std::byte one[1];
  {
    const auto without = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(without);
    EXPECT_FALSE(ProcessMemory(without->readable_pid()).read(begin, one));
  }
  Snapshot::restore(busy.pid(), spared, {});
  const auto whole = Snapshot::take(busy.pid(), {});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(ProcessMemory(whole->readable_pid()).read(begin, one));
  ::munmap(large, kBytes);
}

constexpr Address kMiB = 1 << 20;

TEST(Spared, AreTheLargeGapsBetweenWhatIsKept) {
  const std::vector<Stretch> runs = {{0, 99 * kMiB}, {200 * kMiB, 210 * kMiB}};
  const std::vector<Stretch> kept = {{11 * kMiB, 12 * kMiB},
                                     {12 * kMiB, 39 * kMiB},
                                     {13 * kMiB, 14 * kMiB},
                                     {201 * kMiB, 209 * kMiB}};
  // On large pages where a run is cut, and where it ends otherwise.
  EXPECT_EQ(gaps_between(runs, kept, {}),
            (std::vector<Stretch>{{40 * kMiB, 99 * kMiB}, {0, 10 * kMiB}}));
}

TEST(Spared, SmallOnesAreCutOnSmallPages) {
  constexpr Address kPage = 4096;
  const std::vector<Stretch> runs = {{0, 7 * kMiB}, {8 * kMiB, 9 * kMiB}, {16 * kMiB, 18 * kMiB}};
  const std::vector<Stretch> kept = {{kMiB, kMiB + 1}, {9 * kMiB - 1, 9 * kMiB}};
  EXPECT_EQ(gaps_between(runs, kept, {.smallest = kMiB, .page = kPage}),
            (std::vector<Stretch>{{kMiB + kPage, 7 * kMiB}, {16 * kMiB, 18 * kMiB}, {0, kMiB}}));
  EXPECT_EQ(gaps_between(runs, kept, {.smallest = kMiB}),
            (std::vector<Stretch>{{2 * kMiB, 7 * kMiB}, {16 * kMiB, 18 * kMiB}}));
}

Region plain(Address begin, Address end) {
  return {.begin = begin, .end = end, .readable = true, .writable = true};
}

TEST(Spared, NeighboursWithASmallHoleAreOneAsLongAsItIsOne) {
  const Address hole = 8 * kMiB + 4096;
  std::vector<Region> regions = {
      plain(0, 8 * kMiB),          plain(hole, 16 * kMiB),
      plain(16 * kMiB, 20 * kMiB), {.begin = 20 * kMiB, .end = 21 * kMiB, .readable = true},
      plain(21 * kMiB, 30 * kMiB), plain(40 * kMiB, 50 * kMiB)};
  const auto runs = runs_of(regions);
  EXPECT_EQ(runs.stretches,
            (std::vector<Stretch>{{0, 20 * kMiB}, {21 * kMiB, 30 * kMiB}, {40 * kMiB, 50 * kMiB}}));
  EXPECT_EQ(runs.holes, (std::vector<Stretch>{{8 * kMiB, hole}}));
  EXPECT_TRUE(holes_taken(runs.holes, regions).empty());
  regions.insert(regions.begin() + 1, plain(8 * kMiB, hole));
  EXPECT_EQ(holes_taken(runs.holes, regions), runs.holes);
}

TEST(Snapshot, OfNobodyIsGone) {
  const auto snapshot = Snapshot::take(0x3fffffff, {});
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().reason, Reason::Gone);
}

pid_t hand_of_ours() {
  std::ifstream in(fmt::format("/proc/self/task/{}/children", ::gettid()));
  for (pid_t child = 0; in >> child;) {
    std::ifstream name(fmt::format("/proc/{}/comm", child));
    std::string word;
    if (name >> word && word == "tidegauge-hand") return child;
  }
  return 0;
}

// The hand may be, too: then we let the target forget the copy.
TEST(Snapshot, LeavesNothingWhenItsHandIsKilled) {
  Busy busy;
  {
    const auto snapshot = Snapshot::take(busy.pid(), {});
    ASSERT_TRUE(snapshot) << snapshot.error().what;
    const pid_t hand = hand_of_ours();
    ASSERT_GT(hand, 0);
    ::kill(hand, SIGKILL);
  }
  EXPECT_EQ(busy.children(), "");
  const auto seen = busy.shared().rounds.load();
  while (busy.shared().rounds < seen + 5) ::usleep(100);
  EXPECT_EQ(busy.shared().errors, 0U);
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
