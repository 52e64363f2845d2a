// SPDX-License-Identifier: Apache-2.0
#include "census/snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "census/aside.h"
#include "census/fork_advice.h"
#include "census/haste.h"
#include "census/spared.h"
#include "census/stopped.h"

namespace tidegauge::census {

// What has been changed in the target and not been put back yet: if the hand is killed meanwhile,
// whoever waits for it does that.
struct Snapshot::Changed {
  std::atomic<std::size_t> count{0};
  std::array<Stretch, Snapshot::kMostSpared> stretches{};
  Scratch scratch{};
  Hastened hastened{};
  std::array<std::atomic<long>, 2> children{};  // which only their parent can forget
};

void Snapshot::Unmap::operator()(Changed* changed) const {
  ::munmap(changed, sizeof(Changed));
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

// What a parent calls to forget a child.
Caller::Call wait_for_ended(long pid_for_parent, int options = 0) {
  return {SYS_wait4,
          {static_cast<std::uint64_t>(pid_for_parent), 0,
           static_cast<std::uint64_t>(static_cast<unsigned>(__WALL | options)), 0}};
}

// The process that holds the target. Everything it needs is looked up before the target stops.
class Hand {
 public:
  Hand(pid_t target, const Snapshot::Wishes& wishes, Snapshot::Changed* changed, int line)
      : target_(target),
        wishes_(wishes),
        changed_(changed),
        line_(line),
        instruction_(find_syscall_instruction(target)) {}

  void work() {
    constexpr int kTries = 4;
    if (!make_helper()) return;
    for (int attempt = 1; attempt <= kTries; ++attempt) {
      if (try_once(attempt == kTries)) break;
      sleep_ms(attempt);
    }
    if (helper_) remove_all(std::nullopt);
  }

 private:
  // Should we be killed while one of the target's own threads is in a call, it would go on with
  // registers that are not its own. So it makes but one, which is short: for a helper in the same
  // memory, which does the rest and ends with us. Where there may be none, it does all itself.
  // False: it cannot be stopped now, and nothing more can be done.
  bool make_helper() {
    if (changed_ == nullptr || instruction_ == 0 || !may_call(target_)) return true;
    {
      auto stopped = Stopped::stop_first_thread_soon(target_);
      if (!stopped) {
        say({.error = static_cast<int>(stopped.error().reason) + 1});
        return false;
      }
      helper_ = stopped->caller(instruction_).make_helper();
      if (helper_) changed_->children[0] = helper_->pid_for_parent;
    }
    if (!helper_) return true;
    hasten(helper_->pid);
    if (!helper_->settle()) helper_.reset();
    return true;
  }

  // False: the collector was at work, nothing was done.
  bool try_once(bool last) {
    std::optional<Stopped> stopped;
    {
      auto held = Stopped::stop(target_);
      if (!held) {
        say({.error = static_cast<int>(held.error().reason) + 1});
        return true;
      }
      stopped.emplace(*std::move(held));
    }
    Word word{.stopped_at_ms = stopped->since_ms()};
    if (!last && is_collecting(ProcessMemory(target_), wishes_.collecting)) return false;
    const auto copy = may_call(target_) && instruction_ != 0 ? make_copy(*stopped)
                                                             : std::optional<Caller::Child>{};
    if (!copy && wishes_.otherwise == Snapshot::IfNoCopy::GiveUp) {
      say({.error = static_cast<int>(Reason::Unsupported) + 1});
      return true;
    }
    if (!copy) {
      say(word);
      wait_until_released();
      return true;  // and the target runs on
    }
    stopped.reset();
    word.child = copy->pid;
    word.pause_ms = now_ms() - word.stopped_at_ms;
    if (helper_) helper_->end();
    if (!copy->settle()) word = {.error = static_cast<int>(Reason::Failed) + 1};
    end_haste_of(copy->pid, target_);
    say(word);
    wait_until_released();
    remove_all(copy);
    return true;
  }

  // What is not wanted, by the map of the process as it stands.
  std::vector<Stretch> still_spared() const {
    auto spared = wishes_.spared;
    if (!wishes_.holes.empty()) {
      const auto regions = read_regions(target_);
      if (!regions) return {};
      const auto taken = holes_taken(wishes_.holes, *regions);
      if (!taken.empty()) spared = gaps_between(in_order(std::move(spared)), taken, {});
    }
    const auto most = changed_ == nullptr ? 0 : Snapshot::kMostSpared;
    if (spared.size() > most) spared.resize(most);
    return spared;
  }

  std::optional<Caller::Child> make_copy(Stopped& stopped) const {
    if (helper_) {
      Caller helper(helper_->pid, instruction_, nullptr);
      return fork_without_spared(helper, Caller::Parent::Own);
    }
    auto own = stopped.caller(instruction_);
    if (changed_ == nullptr) return own.fork(Caller::Parent::Self);
    const Haste haste(stopped.first_thread(), changed_->hastened);
    return fork_without_spared(own, Caller::Parent::Self);
  }

  std::optional<Caller::Child> fork_noted(Caller& caller, Caller::Parent parent) const {
    const auto child = caller.fork(parent);
    if (child) changed_->children[1] = child->pid_for_parent;
    return child;
  }

  std::optional<Caller::Child> fork_without_spared(Caller& caller, Caller::Parent parent) const {
    if (wishes_.spared.empty()) return fork_noted(caller, parent);
    const auto spared = still_spared();
    ForkAdvice advice(caller);
    if (many_at_once_) changed_->scratch = advice.make_scratch(spared.size());
    std::copy(spared.begin(), spared.end(), changed_->stretches.begin());
    changed_->count = spared.size();
    advice.say(spared, ForkAdvice::Children::DoNotGet, changed_->scratch);
    const auto child = fork_noted(caller, parent);
    advice.say(spared, ForkAdvice::Children::Get, changed_->scratch);
    changed_->count = 0;
    advice.remove_scratch(changed_->scratch);
    changed_->scratch = {};
    return child;
  }

  void say(const Word& word) const {
    [[maybe_unused]] const auto sent = ::send(line_, &word, sizeof word, MSG_NOSIGNAL);
  }

  void wait_until_released() const {
    char byte = 0;
    while (::read(line_, &byte, 1) < 0 && errno == EINTR) {
    }
  }

  // Ends the copy and the helper, and lets their parent forget them: nobody else could.
  void remove_all(const std::optional<Caller::Child>& copy) {
    std::vector<Caller::Call> waits;
    for (const auto& child : {copy, helper_}) {
      if (!child) continue;
      child->end();
      waits.push_back(wait_for_ended(child->pid_for_parent));
    }
    helper_.reset();
    auto parent = Stopped::stop_first_thread(target_);
    if (!parent) return;
    parent->caller(instruction_).call_all(waits);
    if (changed_ == nullptr) return;
    for (auto& child : changed_->children) child = 0;
  }

  pid_t target_;
  const Snapshot::Wishes& wishes_;
  Snapshot::Changed* changed_;
  int line_;
  Address instruction_;
  bool many_at_once_ = takes_many_at_once();
  std::optional<Caller::Child> helper_{};
};

// Nobody's signals reach it: not a Ctrl-C on the terminal, not a kill of our group.
[[noreturn]] void become_hand(pid_t target, const Snapshot::Wishes& wishes,
                              Snapshot::Changed* changed, int line) {
  stand_aside("tidegauge-hand");
  hasten_ourselves();  // whoever waits for a core now keeps the target waiting
  Hand(target, wishes, changed, line).work();
  ::_exit(0);
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

void Snapshot::restore(pid_t pid, std::span<const Stretch> spared, const Scratch& scratch) {
  const auto instruction = find_syscall_instruction(pid);
  auto stopped = Stopped::stop_first_thread(pid);
  if (!stopped || instruction == 0) return;
  auto caller = stopped->caller(instruction);
  ForkAdvice advice(caller);
  advice.say(spared, ForkAdvice::Children::Get, scratch);
  advice.remove_scratch(scratch);
}

Snapshot::SharedChanged Snapshot::share() {
  void* const page =
      ::mmap(nullptr, sizeof(Changed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return SharedChanged(page == MAP_FAILED ? nullptr : new (page) Changed);
}

void Snapshot::clean_up(pid_t pid, Changed& changed) {
  changed.hastened.put_back();
  const auto spared = std::span(changed.stretches).first(changed.count);
  if (!spared.empty() || changed.scratch.begin != 0) restore(pid, spared, changed.scratch);
  // Its children end with it, soon.
  constexpr int kTries = 100;
  constexpr long kBetweenMs = 10;
  const auto instruction = find_syscall_instruction(pid);
  for (auto& child : changed.children) {
    for (int attempt = 0; child != 0 && instruction != 0 && attempt < kTries; ++attempt) {
      if (attempt > 0) sleep_ms(kBetweenMs);
      auto parent = Stopped::stop_first_thread(pid);
      if (!parent) return;
      const auto gone = parent->caller(instruction).call(wait_for_ended(child, WNOHANG));
      if (gone.value_or(0) != 0) child = 0;
    }
  }
}

// A thread that has just started a program, or waits for a disk, cannot be stopped; soon it can.
Result<Snapshot> Snapshot::take(pid_t pid, const Wishes& wishes) {
  constexpr int kTries = 4;
  constexpr long kBetweenMs = 25;
  for (int attempt = 1;; ++attempt) {
    auto taken = take_once(pid, wishes);
    if (taken || taken.error().reason != Reason::Failed || attempt == kTries) return taken;
    sleep_ms(attempt * kBetweenMs);
  }
}

Result<Snapshot> Snapshot::take_once(pid_t pid, const Wishes& wishes) {
  auto changed = share();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return from_errno(errno, "socketpair");
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  const pid_t hand = ::fork();
  if (hand < 0) return from_errno(errno, "fork");
  if (hand == 0) {
    ours = UniqueFd();
    become_hand(pid, wishes, changed.get(), theirs.get());
  }
  theirs = UniqueFd();
  Snapshot snapshot;
  snapshot.hand_pid_ = hand;
  snapshot.hand_ = std::move(ours);
  Word word;
  ssize_t got = 0;
  do {
    got = ::read(snapshot.hand_.get(), &word, sizeof word);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof word) {
    if (changed) clean_up(pid, *changed);
    return Error{Reason::Failed, fmt::format("{} could not be held still", pid)};
  }
  if (word.error != 0) return refusal(word.error, pid);
  snapshot.mode_ = word.child > 0 ? Mode::Fork : Mode::Stop;
  snapshot.readable_pid_ = word.child > 0 ? word.child : pid;
  snapshot.pause_ms_ = word.pause_ms;
  snapshot.stopped_at_ms_ = word.stopped_at_ms;
  snapshot.target_ = pid;
  snapshot.changed_ = std::move(changed);
  return snapshot;
}

Snapshot::~Snapshot() {
  if (!hand_) return;
  hand_ = UniqueFd();
  int status = 0;
  while (::waitpid(hand_pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (changed_ && WIFSIGNALED(status)) clean_up(target_, *changed_);
}

double Snapshot::pause_ms() const {
  return mode_ == Mode::Fork ? pause_ms_ : now_ms() - stopped_at_ms_;
}

}  // namespace tidegauge::census
