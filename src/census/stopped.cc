// SPDX-License-Identifier: Apache-2.0
#include "census/stopped.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>

#include "census/aside.h"
#include "census/regions.h"

namespace tidegauge::census {

namespace {

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(fmt::format("/proc/{}/task", pid).c_str()), ::closedir);
  if (!folder) return threads;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (const auto tid = static_cast<pid_t>(std::atoi(entry->d_name)); tid > 0) {
      threads.push_back(tid);
    }
  }
  return threads;
}

constexpr double kPatienceMs = 100;

int event_of(int status) {
  return status >> 16;
}

bool wait_for(pid_t tid, int& status) {
  pid_t got = 0;
  do {
    got = ::waitpid(tid, &status, __WALL);
  } while (got < 0 && errno == EINTR);
  return got == tid;
}

// The same, but not for ever: a thread in the middle of a device's work stops when that is done.
bool wait_until(pid_t tid, int& status, double deadline_ms) {
  constexpr long kFirstPauseNs = 20'000;
  constexpr long kLongestPauseNs = 1'000'000;
  for (long pause = kFirstPauseNs;; pause = std::min(2 * pause, kLongestPauseNs)) {
    const pid_t got = ::waitpid(tid, &status, __WALL | WNOHANG);
    if (got == tid) return true;
    if ((got < 0 && errno != EINTR) || now_ms() > deadline_ms) return false;
    const timespec wait{0, pause};
    ::nanosleep(&wait, nullptr);
  }
}

// The registers of a thread, put back when this goes.
class Registers {
 public:
  explicit Registers(pid_t tid) : tid_(tid) {
    good_ = ::ptrace(PTRACE_GETREGS, tid, nullptr, &saved_) == 0;
  }
  Registers(const Registers&) = delete;
  Registers& operator=(const Registers&) = delete;
  ~Registers() {
    if (changed_) ::ptrace(PTRACE_SETREGS, tid_, nullptr, &saved_);
  }
  explicit operator bool() const { return good_; }

  bool prepare(const Caller::Call& what, Address instruction) {
    auto now = saved_;
    now.rip = instruction;
    now.rax = static_cast<unsigned long long>(what.number);
    now.rdi = what.arguments[0];
    now.rsi = what.arguments[1];
    now.rdx = what.arguments[2];
    now.r10 = what.arguments[3];
    now.r8 = 0;
    now.r9 = 0;
    // Not in a system call any more: the kernel must not start the interrupted one again here. It
    // does when the registers are as they were.
    now.orig_rax = static_cast<unsigned long long>(-1);
    changed_ = true;
    return ::ptrace(PTRACE_SETREGS, tid_, nullptr, &now) == 0;
  }

 private:
  pid_t tid_;
  user_regs_struct saved_{};
  bool good_ = false;
  bool changed_ = false;
};

}  // namespace

Result<> Stopped::seize(pid_t tid) {
  if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
    if (errno == ESRCH) return Ok{};  // it ended meanwhile
    return from_errno(errno, fmt::format("{} cannot be held still", pid_));
  }
  threads_.push_back({tid});
  return Ok{};
}

void Stopped::interrupt(std::size_t from) {
  if (from == 0) since_ms_ = now_ms();
  for (; from < threads_.size(); ++from) {
    ::ptrace(PTRACE_INTERRUPT, threads_[from].tid, nullptr, nullptr);
  }
}

Result<Stopped> Stopped::stop_first_thread(pid_t pid) {
  return stop_first_thread(pid, std::numeric_limits<double>::infinity());
}

Result<Stopped> Stopped::stop_first_thread_soon(pid_t pid) {
  return stop_first_thread(pid, now_ms() + kPatienceMs);
}

Result<Stopped> Stopped::stop_first_thread(pid_t pid, double deadline_ms) {
  Stopped stopped(pid);
  if (auto held = stopped.seize(pid); !held) return held.error();
  if (stopped.threads_.empty()) return Error{Reason::Gone, fmt::format("{} has ended", pid)};
  stopped.interrupt(0);
  int status = 0;
  if (!wait_until(pid, status, deadline_ms)) {
    stopped.threads_.clear();
    if (now_ms() > deadline_ms) {
      return Error{Reason::Failed, fmt::format("the first thread of {} did not stop", pid)};
    }
    return Error{Reason::Gone, fmt::format("{} has ended", pid)};
  }
  if (!WIFSTOPPED(status)) {
    stopped.threads_.clear();
    return Error{Reason::Gone, fmt::format("{} has ended", pid)};
  }
  if (event_of(status) == 0) stopped.threads_[0].pending_signal = WSTOPSIG(status);
  return stopped;
}

Result<Stopped> Stopped::stop(pid_t pid) {
  const double deadline = now_ms() + kPatienceMs;
  Stopped stopped(pid);
  std::size_t waited_for = 0;
  while (true) {
    const auto before = stopped.threads_.size();
    for (const auto tid : threads_of(pid)) {
      const auto same = [&](const Thread& thread) { return thread.tid == tid; };
      if (std::any_of(stopped.threads_.begin(), stopped.threads_.end(), same)) continue;
      if (auto held = stopped.seize(tid); !held) return held.error();
    }
    if (stopped.threads_.size() == before) break;  // no thread was made meanwhile
    stopped.interrupt(before);
    for (; waited_for < stopped.threads_.size(); ++waited_for) {
      auto& thread = stopped.threads_[waited_for];
      int status = 0;
      if (!wait_until(thread.tid, status, deadline)) {
        if (now_ms() > deadline) {
          return Error{Reason::Failed, fmt::format("a thread of {} did not stop in time", pid)};
        }
        thread.tid = 0;  // it ended
      } else if (!WIFSTOPPED(status)) {
        thread.tid = 0;
      } else if (event_of(status) == 0) {
        thread.pending_signal = WSTOPSIG(status);
      }
    }
  }
  std::erase_if(stopped.threads_, [](const Thread& thread) { return thread.tid == 0; });
  if (stopped.threads_.empty()) return Error{Reason::Gone, fmt::format("{} has ended", pid)};
  return stopped;
}

Stopped::~Stopped() {
  for (const auto& thread : threads_) {
    ::ptrace(PTRACE_DETACH, thread.tid, nullptr, static_cast<long>(thread.pending_signal));
  }
}

// Over the instruction, through the stop that a new child makes, to the trap behind it.
std::optional<long> Caller::step_over_call(pid_t* child) {
  constexpr int kMostStops = 100;
  int pass_on = 0;
  for (int stops = 0; stops < kMostStops; ++stops) {
    if (::ptrace(PTRACE_SINGLESTEP, tid_, nullptr, static_cast<long>(pass_on)) != 0) return {};
    pass_on = 0;
    int status = 0;
    if (!wait_for(tid_, status) || !WIFSTOPPED(status)) return {};
    if (event_of(status) == PTRACE_EVENT_CLONE && child != nullptr) {
      unsigned long message = 0;
      ::ptrace(PTRACE_GETEVENTMSG, tid_, nullptr, &message);
      *child = static_cast<pid_t>(message);
      continue;
    }
    if (event_of(status) != 0) continue;
    if (WSTOPSIG(status) == SIGTRAP) {
      user_regs_struct after{};
      if (::ptrace(PTRACE_GETREGS, tid_, nullptr, &after) != 0) return {};
      return static_cast<long>(after.rax);
    }
    // Another signal: kept until we let go.
    if (pending_signal_ != nullptr && *pending_signal_ == 0) *pending_signal_ = WSTOPSIG(status);
  }
  return {};
}

std::optional<long> Caller::call(const Call& what) {
  Registers registers(tid_);
  if (!registers || !registers.prepare(what, instruction_)) return {};
  return step_over_call(nullptr);
}

bool Caller::call_all(std::span<const Call> calls) {
  if (calls.empty()) return true;
  Registers registers(tid_);
  if (!registers) return false;
  return std::all_of(calls.begin(), calls.end(), [&](const Call& what) {
    return registers.prepare(what, instruction_) && step_over_call(nullptr);
  });
}

// No signal to the parent when it ends, and no copies of the descriptors.
std::optional<Caller::Child> Caller::clone(std::uint64_t flags) {
  if (::ptrace(PTRACE_SETOPTIONS, tid_, nullptr, static_cast<long>(PTRACE_O_TRACECLONE)) != 0)
    return {};
  // Without a stack: should we be killed before it is ours for good, it does not get as far as to
  // do its parent's work.
  constexpr std::uint64_t kNoStack = 8;
  const Call clone{SYS_clone, {flags | CLONE_FILES | CLONE_FS, kNoStack, 0, 0}};
  Child child;
  {
    Registers registers(tid_);
    if (!registers || !registers.prepare(clone, instruction_)) return {};
    child.pid_for_parent = step_over_call(&child.pid).value_or(-1);
  }
  ::ptrace(PTRACE_SETOPTIONS, tid_, nullptr, 0L);
  if (child.pid <= 0) return {};
  return child;
}

std::optional<Caller::Child> Caller::make_helper() {
  return clone(CLONE_VM);
}

std::optional<Caller::Child> Caller::fork(Parent parent) {
  return clone(parent == Parent::Own ? CLONE_PARENT : 0);
}

bool Caller::Child::settle() const {
  int status = 0;
  if (!wait_for(pid, status) || !WIFSTOPPED(status)) return false;
  // If we die it must not begin to run.
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, static_cast<long>(PTRACE_O_EXITKILL));
  return true;
}

void Caller::Child::end() const {
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
  }
}

Address find_syscall_instruction(pid_t pid) {
  const auto regions = read_regions(pid);
  if (!regions) return 0;
  for (const auto& region : *regions) {
    if (region.path != "[vdso]" || region.end - region.begin > (1 << 20)) continue;
    std::vector<char> bytes(region.end - region.begin);
    if (!ProcessMemory(pid).read(region.begin, std::as_writable_bytes(std::span(bytes)))) return 0;
    const auto at = std::string_view(bytes.data(), bytes.size()).find("\x0f\x05");
    if (at != std::string_view::npos) return region.begin + at;
  }
  return 0;
}

}  // namespace tidegauge::census
