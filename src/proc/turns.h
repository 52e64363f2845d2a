// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <optional>

#include "base/clock.h"

namespace tidegauge::proc {

// While it exists, nothing of normal priority takes the core away from this thread, if we are
// permitted to ask for that (CAP_SYS_NICE). A reader of page tables that loses its core while it
// holds the target's address space stops the target until it gets the core back: measured up to
// 12 ms with turns of 0.3 ms on a machine with four tasks a core, 0.5 ms (as unwatched) with this.
class KeepCore {
 public:
  KeepCore();
  KeepCore(const KeepCore&) = delete;
  KeepCore& operator=(const KeepCore&) = delete;
  ~KeepCore();

  bool granted() const { return before_.has_value(); }

 private:
  struct Before {
    int policy;
    sched_param parameter;
  };
  std::optional<Before> before_;
};

// Takes turns with a process whose address space we hold while the kernel reads its page tables for
// us: short turns, with pauses in which it can have its lock. Without a pause it would get it only
// every 4 ms, by the kernel's rule against starvation, however short each of our holds is.
class Turns {
 public:
  // Of page tables: the process may have to wait for as long as a turn takes.
  static constexpr double kTurnSeconds = 100e-6;

  Turns() { begin(); }

  // To be called between two system calls that take the lock. Pauses where the turn is over, that
  // is, took so much CPU time.
  void between(double turn_seconds = kTurnSeconds);
  void pause();  // now
  // CPU time so far, all turns.
  double cpu_seconds() const { return cpu_.seconds(); }
  unsigned pauses() const { return pauses_; }
  // A turn took much longer than we ran: we lost the core, and may have held the lock meanwhile.
  bool disturbed() const { return disturbed_; }

 private:
  void begin();
  void end();

  CpuClock cpu_;
  double turn_cpu_began_ = 0;
  double turn_began_ = 0;
  bool disturbed_ = false;
  unsigned pauses_ = 0;
  std::optional<KeepCore> keep_core_;
};

}  // namespace tidegauge::proc
