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

// A stopped thread, which makes system calls for us as if they had been its own idea; what they
// have changed in its registers is put back after each.
class Caller {
 public:
  // Signals that come in meanwhile are left in `pending_signal`, if anybody wants to know.
  Caller(pid_t tid, Address syscall_instruction, int* pending_signal)
      : tid_(tid), instruction_(syscall_instruction), pending_signal_(pending_signal) {}

  pid_t tid() const { return tid_; }

  struct Call {
    long number = 0;
    std::uint64_t arguments[4] = {};
  };
  // The result as the kernel gives it: negative is -errno.
  std::optional<long> call(const Call& what);
  // One after the other; false if one of them could not be made, and those behind it were not.
  bool call_all(std::span<const Call> calls);

  // A task that it makes, which never runs: it is ours to read and to kill. Its number for us, and
  // for its parent, which may live in another namespace.
  struct Child {
    pid_t pid = 0;
    long pid_for_parent = 0;

    // Waits until it has got as far as to stand still, for which it needs a core; its parent may
    // run on meanwhile. From then on it ends with us. False: it has ended.
    bool settle() const;
    void end() const;  // and waits until it has
  };
  // One in the same memory, which can be a caller, too, once it has settled.
  std::optional<Child> make_helper();
  // One with a copy of the memory; a child of whoever is the parent.
  enum class Parent { Self, Own };
  std::optional<Child> fork(Parent parent);

 private:
  std::optional<Child> clone(std::uint64_t flags);
  std::optional<long> step_over_call(pid_t* child);

  pid_t tid_;
  Address instruction_;
  int* pending_signal_;
};

class Stopped {
 public:
  // Stops every thread. Denied: not ours to hold, or another debugger has it. Failed: a thread that
  // waits for a disk or a driver did not stop in time; the others run again once whoever called
  // this has ended, which it must do then.
  static Result<Stopped> stop(pid_t pid);
  // Waits for as long as that takes; the others run on.
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
  double since_ms() const { return since_ms_; }  // when the first thread was told to stop

  // Its first thread.
  Caller caller(Address syscall_instruction) {
    return {first_thread(), syscall_instruction, &threads_.front().pending_signal};
  }

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
// Where the process has a `syscall` instruction that it may run: in the vDSO.
Address find_syscall_instruction(pid_t pid);

}  // namespace tidegauge::census
