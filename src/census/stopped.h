// SPDX-License-Identifier: Apache-2.0
// A process held still for a moment through ptrace. Whoever dies while holding one lets it go: the
// kernel detaches it.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace tidegauge::census {

class Stopped {
 public:
  // Stops every thread but that one, which is ours. Denied: not ours to hold, or another debugger
  // has it. Failed: a thread that waits for a disk or a driver did not stop in time; the others run
  // again once whoever called this has ended, which it must do then.
  static Result<Stopped> stop(pid_t pid, pid_t except = 0);
  // Waits for as long as that takes; the others run on. It stands where no signal is being handed
  // to it.
  static Result<Stopped> stop_first_thread(pid_t pid);
  // As stop() does.
  static Result<Stopped> stop_first_thread_soon(pid_t pid);
  Stopped(Stopped&& other) noexcept
      : pid_(other.pid_), threads_(std::move(other.threads_)), since_ms_(other.since_ms_) {
    other.threads_.clear();
  }
  Stopped& operator=(Stopped&&) = delete;
  ~Stopped();

  pid_t first_thread() const { return threads_.front().tid; }
  std::size_t count() const { return threads_.size(); }
  double since_ms() const { return since_ms_; }  // when the first thread was told to stop

 private:
  struct Thread {
    pid_t tid = 0;
    int pending_signal = 0;  // came in while we stopped it; delivered when we let go
  };
  explicit Stopped(pid_t pid) : pid_(pid) {}
  static Result<Stopped> stop_first_thread(pid_t pid, double deadline_ms);
  Result<> seize(pid_t tid);  // it runs on
  void interrupt(std::size_t from);

  pid_t pid_;
  std::vector<Thread> threads_;
  double since_ms_ = 0;
};

// The next stop of a thread that we trace; false: it has ended.
bool wait_for_stop(pid_t tid, int& status);
// PTRACE_EVENT_…, of which such a stop tells; 0: of a signal or a call.
int event_of(int status);

}  // namespace tidegauge::census
