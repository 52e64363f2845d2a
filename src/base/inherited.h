// SPDX-License-Identifier: Apache-2.0
// What whoever started us gave to us: resource limits and what is done with some signals. We change
// both for ourselves, and a job gets them as we got them.
#pragma once

#include <sys/resource.h>

#include <array>
#include <csignal>

namespace tidegauge {

class Inherited {
 public:
  // As it was at the first call, which is main's first act.
  static const Inherited& at_start();
  // In a process that is about to execute somebody else's program. Async-signal-safe.
  void give_back() const;

 private:
  Inherited();
  static constexpr std::array kSignals{SIGXFSZ, SIGXCPU, SIGPIPE};

  std::array<rlimit, RLIM_NLIMITS> limits_{};
  std::array<struct sigaction, kSignals.size()> actions_{};
};

// For this process: soft limits are raised to the hard ones, and a file or a CPU time at its limit
// is an error or nothing, not a signal that ends us.
void use_what_is_allowed();

// Of this process, as of now.
std::size_t free_descriptors(std::size_t at_most);  // counts no further than that
double cpu_seconds_left();                          // until the kernel kills us; infinity: never

}  // namespace tidegauge
