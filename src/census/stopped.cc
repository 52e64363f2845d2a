// SPDX-License-Identifier: Apache-2.0
#include "census/stopped.h"

#include <dirent.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>

#include "census/aside.h"

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

enum class Seen { Nothing, Stop, End };

// Looks at a stop and leaves it where it is: whoever takes it and is killed before he has answered
// has taken the signal that is in it from its thread. An end is taken.
Seen look_at(pid_t tid, int options, int& status) {
  siginfo_t what{};
  int done = 0;
  do {
    done = ::waitid(P_PID, static_cast<id_t>(tid), &what,
                    WSTOPPED | WEXITED | WNOWAIT | __WALL | options);
  } while (done != 0 && errno == EINTR);
  if (done == 0 && what.si_pid == 0) return Seen::Nothing;
  if (done == 0 && (what.si_code == CLD_TRAPPED || what.si_code == CLD_STOPPED)) {
    status = W_STOPCODE(what.si_status);
    return Seen::Stop;
  }
  if (done == 0) ::waitpid(tid, &status, __WALL);
  return Seen::End;
}

// A thread in the middle of a device's work stops when that is done, but nobody waits for ever.
Seen wait_until(pid_t tid, int& status, double deadline_ms) {
  constexpr long kFirstPauseNs = 20'000;
  constexpr long kLongestPauseNs = 1'000'000;
  for (long pause = kFirstPauseNs;; pause = std::min(2 * pause, kLongestPauseNs)) {
    const auto seen = look_at(tid, WNOHANG, status);
    if (seen != Seen::Nothing || now_ms() > deadline_ms) return seen;
    const timespec wait{0, pause};
    ::nanosleep(&wait, nullptr);
  }
}

}  // namespace

int event_of(int status) {
  return status >> 16;
}

bool wait_for_stop(pid_t tid, int& status) {
  return look_at(tid, 0, status) == Seen::Stop;
}

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
  const auto gone = [&](Reason reason, std::string_view what) {
    stopped.threads_.clear();
    return Error{reason, fmt::format("{} {}", pid, what)};
  };
  stopped.interrupt(0);
  int status = 0;
  while (true) {
    const auto seen = wait_until(pid, status, deadline_ms);
    if (seen == Seen::Nothing) return gone(Reason::Failed, "did not stop");
    if (seen == Seen::End) return gone(Reason::Gone, "has ended");
    if (event_of(status) != 0) return stopped;
    // A signal is being handed to it: let it have that first.
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
    ::ptrace(PTRACE_CONT, pid, nullptr, static_cast<long>(WSTOPSIG(status)));
  }
}

Result<Stopped> Stopped::stop(pid_t pid, pid_t except) {
  const double deadline = now_ms() + kPatienceMs;
  Stopped stopped(pid);
  std::size_t waited_for = 0;
  while (true) {
    const auto before = stopped.threads_.size();
    for (const auto tid : threads_of(pid)) {
      const auto same = [&](const Thread& thread) { return thread.tid == tid; };
      if (tid == except || std::any_of(stopped.threads_.begin(), stopped.threads_.end(), same)) {
        continue;
      }
      if (auto held = stopped.seize(tid); !held) return held.error();
    }
    if (stopped.threads_.size() == before) break;  // no thread was made meanwhile
    stopped.interrupt(before);
    for (; waited_for < stopped.threads_.size(); ++waited_for) {
      auto& thread = stopped.threads_[waited_for];
      int status = 0;
      const auto seen = wait_until(thread.tid, status, deadline);
      if (seen == Seen::Nothing) {
        return Error{Reason::Failed, fmt::format("a thread of {} did not stop in time", pid)};
      }
      if (seen == Seen::End) {
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

}  // namespace tidegauge::census
