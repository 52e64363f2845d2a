// SPDX-License-Identifier: Apache-2.0
// A process held still for a moment through ptrace. Nothing is written into its memory. Whoever
// dies while holding one lets it go: the kernel detaches it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "census/memory.h"

namespace tidegauge::census {

class Stopped {
 public:
  // Stops every thread. Denied: not ours to hold, or another debugger has it. Failed: a thread that
  // waits for a disk or a driver did not stop in time; the others run again once whoever called
  // this has ended, which it must do then.
  static Result<Stopped> stop(pid_t pid);
  static Result<Stopped> stop_first_thread(pid_t pid);
  Stopped(Stopped&& other) noexcept
      : pid_(other.pid_), threads_(std::move(other.threads_)), since_ms_(other.since_ms_) {
    other.threads_.clear();
  }
  Stopped& operator=(Stopped&&) = delete;
  ~Stopped();

  pid_t first_thread() const { return threads_.front().tid; }
  double since_ms() const { return since_ms_; }  // when the first thread was told to stop

  // Lets its first thread make one system call, as if it had been its own idea, and puts everything
  // back. The result as the kernel gives it: negative is -errno.
  struct Call {
    long number = 0;
    std::uint64_t arguments[4] = {};
  };
  std::optional<long> call(const Call& what, Address syscall_instruction);
  // One after the other; false if one of them could not be made, and those behind it were not.
  bool call_all(std::span<const Call> calls, Address syscall_instruction);

  // Lets it make a child that shares nothing but its files, and that never runs: it is ours to read
  // and to kill. Its number for us, and for its parent, which may live in another namespace.
  struct Child {
    pid_t pid = 0;
    long pid_for_parent = 0;

    // Waits until it has got as far as to stand still, for which it needs a core; its parent may
    // run on meanwhile. From then on it ends with us. False: it has ended.
    bool settle() const;
  };
  std::optional<Child> fork(Address syscall_instruction);

 private:
  struct Thread {
    pid_t tid = 0;
    int pending_signal = 0;  // came in while we stopped it; delivered when we let go
  };
  explicit Stopped(pid_t pid) : pid_(pid) {}
  Result<> seize(pid_t tid);  // it runs on
  void interrupt(std::size_t from);
  std::optional<long> step_over_call(pid_t tid, pid_t* child);

  pid_t pid_;
  std::vector<Thread> threads_;
  double since_ms_ = 0;
};
// Where the process has a `syscall` instruction that it may run: in the vDSO.
Address find_syscall_instruction(pid_t pid);

}  // namespace tidegauge::census
