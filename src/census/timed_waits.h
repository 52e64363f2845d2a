// SPDX-License-Identifier: Apache-2.0
// Threads that wait in sigtimedwait. Any stop ends that call with EINTR, and CPython (3.5 to 3.15)
// that finds its time over by then returns what happens to lie on its stack instead of None. So a
// stop must not lie across the end of such a wait.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>

namespace tidegauge::census {

// "128 0x7ffc… …", as /proc/PID/task/TID/syscall has it of a thread that waits: where the timeout
// of its sigtimedwait lies; nothing: it does not wait there, or for ever.
std::optional<std::uint64_t> timeout_of_wait(const char* line);

class TimedWaits {
 public:
  explicit TimedWaits(pid_t pid) : pid_(pid) {}
  // Returns when no thread's wait ends within the next tenth of a second, as far as that can be
  // known: when a wait began is known only if we were looking. Two seconds at the most.
  void let_pass();

 private:
  struct Seen {
    std::uint64_t switches = 0;  // how often the thread has waited for something
    double since_ms = 0;         // it has waited since then or later; 0: nobody knows
  };
  bool may_be_stopped(pid_t tid);

  pid_t pid_;
  double looked_ms_ = 0;
  std::map<pid_t, Seen> seen_{};
};

}  // namespace tidegauge::census
