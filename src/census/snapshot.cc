// SPDX-License-Identifier: Apache-2.0
#include "census/snapshot.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "base/beside.h"
#include "census/aside.h"
#include "census/haste.h"
#include "census/helper.h"
#include "census/stopped.h"
#include "census/timed_waits.h"

namespace tidegauge::census {

// If the hand is killed, whoever waits for it looks after the copy, which ends with the hand.
struct Snapshot::Made {
  std::atomic<pid_t> copy{0};
  std::atomic<WaitsForIt> who{WaitsForIt::Helper};
};

void Snapshot::Unmap::operator()(Made* made) const {
  ::munmap(made, sizeof(Made));
}

namespace {

// What the hand says once the target runs again, or could not be held.
struct Word {
  pid_t child = 0;  // 0: none; the target itself stands still
  int error = 0;    // an Error's reason plus 1; 0: none
  double pause_ms = 0;
  double stopped_at_ms = 0;
};

// A filter that does not know our call may answer it with death.
bool may_call(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:")) return line.find_first_of("12") == std::string::npos;
  }
  return true;
}

bool is_collecting(const Memory& memory, const std::vector<Address>& words) {
  for (const auto word : words) {
    if (memory.get<std::int32_t>(word).value_or(0) != 0) return true;
  }
  return false;
}

void sleep_ms(long ms) {
  const timespec pause{0, ms * 1'000'000};
  ::nanosleep(&pause, nullptr);
}

// The process that holds the target. Everything it needs is looked up before the target stops.
class Hand {
 public:
  Hand(pid_t target, const Snapshot::Wishes& wishes, const SavedPieces& saved, Snapshot::Made& made,
       int line)
      : target_(target), wishes_(wishes), saved_(saved), made_(made), line_(line), waits_(target) {
    if (may_call(target)) stub_ = Stub::put_into(target);
  }

  void work() {
    constexpr int kTries = 4;
    if (!make_helper()) return;
    for (int attempt = 1; attempt <= kTries; ++attempt) {
      if (try_once(attempt == kTries)) break;
      sleep_ms(attempt);
    }
    if (helper_) helper_->end();
  }

 private:
  // Should we be killed while one of the target's own threads does something for us, it goes on by
  // itself; so it does but one thing, which is short, and the helper that it makes does the rest.
  // False: it cannot be stopped now, and nothing more can be done.
  bool make_helper() {
    constexpr int kTries = 3;
    constexpr long kOthersMs = 20;  // somebody was killed before us: his thread goes home first
    if (stub_ && stub_->is_in_use()) sleep_ms(kOthersMs);
    for (int attempt = 1; stub_ && !helper_ && attempt <= kTries; ++attempt) {
      if (attempt > 1) sleep_ms(attempt);
      waits_.let_pass();
      auto stopped = Stopped::stop_first_thread_soon(target_);
      if (!stopped) {
        say({.error = static_cast<int>(stopped.error().reason) + 1});
        return false;
      }
      helper_ = Helper::make(*stopped, *stub_);
    }
    if (!helper_) return true;
    hasten(helper_->tid());
    if (!helper_->settle() || !helper_->prepare(wishes_.spared)) {
      helper_->end();
      helper_.reset();
    }
    return true;
  }

  // False: the collector was at work, nothing was done.
  bool try_once(bool last) {
    std::optional<Stopped> stopped;
    waits_.let_pass();
    {
      auto held = Stopped::stop(target_, helper_ ? helper_->tid() : 0);
      if (!held) {
        say({.error = static_cast<int>(held.error().reason) + 1});
        return true;
      }
      stopped.emplace(*std::move(held));
    }
    Word word{.stopped_at_ms = stopped->since_ms()};
    if (!last && is_collecting(ProcessMemory(target_), wishes_.collecting)) return false;
    saved_.read_from(target_);
    const auto copy = helper_ ? helper_->make_copy() : std::optional<Copy>{};
    if (!copy && wishes_.otherwise == Snapshot::IfNoCopy::GiveUp) {
      say({.error = static_cast<int>(Reason::Unsupported) + 1});
      return true;
    }
    if (!copy) {
      say(word);
      wait_until_released();
      return true;  // and the target runs on
    }
    made_.copy = copy->pid;
    made_.who = stopped->count() == 1 ? WaitsForIt::Nobody : WaitsForIt::Helper;
    stopped.reset();
    word.child = copy->pid;
    word.pause_ms = now_ms() - word.stopped_at_ms;
    release_helper();
    if (!copy->settle()) word = {.error = static_cast<int>(Reason::Failed) + 1};
    end_haste_of(copy->pid, target_);
    say(word);
    wait_until_released();
    copy->end();
    forget(target_, *copy, made_.who);
    made_.copy = 0;
    return true;
  }

  // It stays to look after the copy; but a program of one thread may ask whether it is one before
  // it makes a child (Python does), and is to stay one.
  void release_helper() {
    if (made_.who == WaitsForIt::Nobody) {
      helper_->end();
    } else {
      helper_->let_go();
    }
    helper_.reset();
  }

  void say(const Word& word) const {
    [[maybe_unused]] const auto sent = ::send(line_, &word, sizeof word, MSG_NOSIGNAL);
  }

  void wait_until_released() const {
    char byte = 0;
    while (::read(line_, &byte, 1) < 0 && errno == EINTR) {
    }
  }

  pid_t target_;
  const Snapshot::Wishes& wishes_;
  const SavedPieces& saved_;
  Snapshot::Made& made_;
  int line_;
  TimedWaits waits_;
  std::optional<Stub> stub_{};
  std::optional<Helper> helper_{};
};

// Nobody's signals reach it: not a Ctrl-C on the terminal, not a kill of our group.
void become_hand(pid_t target, const Snapshot::Wishes& wishes, const SavedPieces& saved,
                 Snapshot::Made& made, int line) {
  stand_aside("tidegauge-hand");
  hasten_ourselves();  // whoever waits for a core now keeps the target waiting
  Hand(target, wishes, saved, made, line).work();
}

Error refusal(int error, pid_t pid) {
  const auto reason = static_cast<Reason>(error - 1);
  if (reason == Reason::Gone) return {reason, fmt::format("{} has ended", pid)};
  if (reason == Reason::Denied) {
    return {
        reason,
        fmt::format("{} may not be held still: it is another user's, another debugger holds it, or "
                    "kernel.yama.ptrace_scope forbids it. Run as root, or use --stream",
                    pid)};
  }
  return {reason, fmt::format("{} could not be held still", pid)};
}

}  // namespace

Result<Snapshot::SharedMade> Snapshot::share() {
  void* const page =
      ::mmap(nullptr, sizeof(Made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return from_errno(errno, "mmap");
  return SharedMade(new (page) Made);
}

// A thread that has just started a program, or waits for a disk, cannot be stopped; soon it can.
Result<Snapshot> Snapshot::take(pid_t pid, const Wishes& wishes, std::span<std::byte> room) {
  constexpr int kTries = 4;
  constexpr long kBetweenMs = 25;
  for (int attempt = 1;; ++attempt) {
    auto taken = take_once(pid, wishes, room);
    if (taken || taken.error().reason != Reason::Failed || attempt == kTries) return taken;
    sleep_ms(attempt * kBetweenMs);
  }
}

Result<Snapshot> Snapshot::take_once(pid_t pid, const Wishes& wishes, std::span<std::byte> room) {
  auto made = share();
  if (!made) return made.error();
  auto saved = SavedPieces::make_room(wishes.saved, room);
  if (!saved) return saved.error();
  auto hand = start_beside(LineKind::Stream, [&](UniqueFd line) {
    become_hand(pid, wishes, *saved, **made, line.get());
  });
  if (!hand) return hand.error();
  Snapshot snapshot;  // if the hand is killed before it has spoken, this cleans up
  snapshot.target_ = pid;
  snapshot.made_ = *std::move(made);
  snapshot.saved_ = *std::move(saved);
  snapshot.hand_pid_ = hand->pid;
  snapshot.hand_ = std::move(hand->line);
  Word word;
  ssize_t got = 0;
  do {
    got = ::read(snapshot.hand_.get(), &word, sizeof word);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof word) {
    return Error{Reason::Failed, fmt::format("{} could not be held still", pid)};
  }
  if (word.error != 0) return refusal(word.error, pid);
  snapshot.mode_ = word.child > 0 ? Mode::Fork : Mode::Stop;
  snapshot.readable_pid_ = word.child > 0 ? word.child : pid;
  snapshot.pause_ms_ = word.pause_ms;
  snapshot.stopped_at_ms_ = word.stopped_at_ms;
  return snapshot;
}

Snapshot::~Snapshot() {
  if (!hand_) return;
  hand_ = UniqueFd();
  int status = 0;
  while (::waitpid(hand_pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && made_->copy != 0) forget(target_, {made_->copy}, made_->who);
}

double Snapshot::pause_ms() const {
  return mode_ == Mode::Fork ? pause_ms_ : now_ms() - stopped_at_ms_;
}

}  // namespace tidegauge::census
