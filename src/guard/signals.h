// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/signalfd.h>

#include <csignal>
#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::guard {

// The signals that are the job's and not ours, whoever they were sent to.
const sigset_t& signals_of_the_job();

// While it lives, the signals of the job, those that stop whoever uses the terminal from the
// background, and the news of our children do not act on us but can be read. What was set before is
// kept for the job to begin with, and comes back in the end.
class SignalWatch {
 public:
  static Result<SignalWatch> begin();
  SignalWatch(SignalWatch&&) noexcept;
  SignalWatch& operator=(SignalWatch&&) = delete;
  ~SignalWatch();

  int fd() const { return fd_.get(); }
  std::optional<signalfd_siginfo> next();  // nothing: no more for now
  // Stops us as `signal` (SIGTSTP, SIGTTIN, SIGTTOU) would have; returns when we are continued.
  void stop_us(int signal) const;
  // In a child that is about to become the job. Async-signal-safe.
  void restore() const;

 private:
  SignalWatch() = default;
  UniqueFd fd_;
  sigset_t mask_before_{};
  struct sigaction child_before_ {};
  bool ours_ = false;
};

}  // namespace tidegauge::guard
