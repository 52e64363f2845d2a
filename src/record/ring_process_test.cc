// SPDX-License-Identifier: Apache-2.0
// Real processes: several writers, killed ones, a gauge that dies, forks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "base/fd.h"
#include "record/ring_for_tests.h"

namespace tidegauge::record {
namespace {

// One end waits for what the other says. Never for time.
class Pipe {
 public:
  Pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    from_ = UniqueFd(fds[0]);
    to_ = UniqueFd(fds[1]);
  }
  template <class T>
  void say(const T& what) {
    if (::write(to_.get(), &what, sizeof what) != sizeof what) ::_exit(99);
  }
  template <class T>
  T hear() {
    T what{};
    if (::read(from_.get(), &what, sizeof what) != sizeof what) ::_exit(98);
    return what;
  }

 private:
  UniqueFd from_;
  UniqueFd to_;
};

pid_t in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  return pid;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string name_for_others(const RingReader& reader) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(reader.fd());
}

TEST(RingProcesses, EightRanksAreHeardInFull) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const auto name = name_for_others(*reader);
  constexpr int kRanks = 8;
  constexpr int kMarks = 2'000;
  const auto begin = clock_now();  // and it stays so: whoever has no core for long is not given up
  std::set<pid_t> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks.insert(in_child([&name] {
      const WriterEnd ring(tidegauge_ring_open(name.c_str()));
      if (!ring) return 1;
      for (int step = 1; step <= kMarks; ++step) write_step(ring.get(), step);
      return 0;
    }));
  }
  std::map<pid_t, double> last;
  const auto take = [&last](const std::vector<Event>& events) {
    for (const auto& event : events) {
      ASSERT_EQ(event.kind, EventKind::Step);
      EXPECT_GT(*event.value, last[event.process.pid]);
      last[event.process.pid] = *event.value;
    }
  };
  while (reader->taken() < kRanks * kMarks / 4) take(reader->read(begin, same_pid));
  for (const auto rank : ranks) EXPECT_EQ(exit_code_of(rank), 0);
  take(reader->read_rest(begin, same_pid));
  EXPECT_EQ(reader->taken(), static_cast<std::uint64_t>(kRanks * kMarks));
  EXPECT_EQ(reader->lost(), 0u);
  ASSERT_EQ(last.size(), ranks.size());
  for (const auto& [pid, step] : last) {
    EXPECT_TRUE(ranks.contains(pid));
    EXPECT_EQ(step, kMarks);
  }
}

TEST(RingProcesses, WritersKilledInTheMiddleOfAMarkCostNoMoreThanThatMark) {
  auto reader = RingReader::create(64);
  ASSERT_TRUE(reader);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  constexpr int kVictims = 20;
  for (int i = 0; i < kVictims; ++i) {
    Pipe ready;
    const auto victim = in_child([&] {
      ready.say('r');
      for (std::int64_t step = 1;; ++step) write_step(writer.get(), step);
      return 0;
    });
    ready.hear<char>();
    const auto before = reader->taken();
    while (reader->taken() == before) reader->read(clock_now(), same_pid);
    ::kill(victim, SIGKILL);
    EXPECT_EQ(exit_code_of(victim), 128 + SIGKILL);
  }
  write_step(writer.get(), 4711);
  const auto events = reader->read_rest(clock_now(), same_pid);
  const auto steps = std::count_if(events.begin(), events.end(), [](const Event& event) {
    return event.kind == EventKind::Step && event.value == 4711;
  });
  EXPECT_EQ(steps, 1) << "the ring still works";
  EXPECT_EQ(reader->taken() + reader->lost(),
            __atomic_load_n(tidegauge_ring_head(writer->words), __ATOMIC_RELAXED));
  EXPECT_EQ(reader->odd(), 0u);
}

TEST(RingProcesses, AJobDoesNotNoticeThatItsGaugeDied) {
  Pipe to_test;
  Pipe to_job;
  const auto gauge = in_child([&] {
    auto reader = RingReader::create();
    if (!reader) return 1;
    const auto name = name_for_others(*reader);
    const auto job = in_child([&] {
      const WriterEnd ring(tidegauge_ring_open(name.c_str()));
      if (!ring) return 1;
      write_step(ring.get(), 1);
      to_test.say(::getpid());
      to_job.hear<char>();  // the gauge is dead now
      for (int step = 2; step < 40'000; ++step) write_step(ring.get(), step);
      const bool found = tidegauge_ring_open(name.c_str()) != nullptr;
      to_test.say(found ? -1 : 1);
      return 0;
    });
    return exit_code_of(job);
  });
  to_test.hear<pid_t>();
  ::kill(gauge, SIGKILL);
  EXPECT_EQ(exit_code_of(gauge), 128 + SIGKILL);
  to_job.say('g');
  EXPECT_EQ(to_test.hear<int>(), 1) << "it wrote on, and a newcomer finds no gauge";
}

TEST(RingProcesses, AForkedChildSignsWithItsOwnName) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  ASSERT_NE(writer->pid, nullptr) << "this kernel does not empty pages on fork";
  write_step(writer.get(), 1);  // our pid is known from here on

  pid_t grandchild = 0;
  Pipe names;
  const auto child = in_child([&] {
    write_step(writer.get(), 2);
    const auto its_child = in_child([&] {
      write_step(writer.get(), 3);
      return 0;
    });
    names.say(its_child);
    return exit_code_of(its_child);
  });
  grandchild = names.hear<pid_t>();
  EXPECT_EQ(exit_code_of(child), 0);
  write_step(writer.get(), 4);

  std::vector<std::pair<pid_t, double>> got;
  for (const auto& event : reader->read(clock_now(), same_pid)) {
    got.emplace_back(event.process.pid, *event.value);
  }
  const std::vector<std::pair<pid_t, double>> expected{
      {::getpid(), 1}, {child, 2}, {grandchild, 3}, {::getpid(), 4}};
  EXPECT_EQ(got, expected);
}

TEST(RingProcesses, AChildForkedFromAThreadSignsWithItsOwnThread) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  pid_t child = 0;
  int code = -1;
  std::thread([&] {
    write_step(writer.get(), 1);
    child = in_child([&] {
      write_step(writer.get(), 2);
      return 0;
    });
    code = exit_code_of(child);
  }).join();
  EXPECT_EQ(code, 0);
  tidegauge_slot slot{};
  std::memcpy(&slot, tidegauge_ring_slot(writer->words, writer->mask, 1), sizeof slot);
  EXPECT_EQ(slot.pid, static_cast<std::uint32_t>(child));
  EXPECT_EQ(slot.tid, static_cast<std::uint32_t>(child));
}

TEST(RingProcesses, AWriterLeavesNoFileOpen) {
  auto reader = RingReader::create();
  ASSERT_TRUE(reader);
  const int next_before = ::dup(0);
  ::close(next_before);
  const auto writer = writer_of(*reader);
  ASSERT_NE(writer, nullptr);
  const int next_after = ::dup(0);
  ::close(next_after);
  EXPECT_EQ(next_before, next_after);
}

}  // namespace
}  // namespace tidegauge::record
