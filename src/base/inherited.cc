// SPDX-License-Identifier: Apache-2.0
#include "base/inherited.h"

#include <fcntl.h>
#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace tidegauge {

namespace {

// The names of these constants have a type of their own in C++.
using Kind = decltype(RLIMIT_NOFILE);

// Threads get the size that the limit on stacks had when the process began.
constexpr std::size_t kLeastThreadStack = 1 << 20;
// A stack that grows for ever shall end us before it has taken all memory.
constexpr rlim_t kEnoughStack = 8 << 20;

// The soft limit, up to `most` and to the hard one.
void raise_soft(Kind kind, rlim_t most) {
  rlimit limit{};
  if (::getrlimit(kind, &limit) != 0) return;
  const auto wanted = std::min(most, limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;  // infinity is the largest number
  limit.rlim_cur = wanted;
  ::setrlimit(kind, &limit);
}

void give_threads_a_stack() {
  pthread_attr_t usual;
  if (::pthread_getattr_default_np(&usual) != 0) return;
  std::size_t bytes = 0;
  if (::pthread_attr_getstacksize(&usual, &bytes) == 0 && bytes < kLeastThreadStack &&
      ::pthread_attr_setstacksize(&usual, kLeastThreadStack) == 0) {
    ::pthread_setattr_default_np(&usual);
  }
  ::pthread_attr_destroy(&usual);
}

}  // namespace

Inherited::Inherited() {
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    ::getrlimit(static_cast<Kind>(i), &limits_[i]);
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &actions_[i]);
  }
}

const Inherited& Inherited::at_start() {
  static const Inherited kAtStart;
  return kAtStart;
}

void Inherited::give_back() const {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &actions_[i], nullptr);
  }
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    ::setrlimit(static_cast<Kind>(i), &limits_[i]);
  }
}

void use_what_is_allowed() {
  (void)Inherited::at_start();
  // A core file of ours would help nobody who did not ask for one.
  for (const auto kind : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA,
                          RLIMIT_MEMLOCK, RLIMIT_NPROC}) {
    raise_soft(kind, RLIM_INFINITY);
  }
  raise_soft(RLIMIT_STACK, kEnoughStack);
  give_threads_a_stack();
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGXCPU, SIG_IGN);
}

std::size_t free_descriptors(std::size_t at_most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return at_most;
  std::size_t free = 0;
  for (rlim_t fd = 0; fd < limit.rlim_cur && free < at_most; ++fd) {
    if (::fcntl(static_cast<int>(fd), F_GETFD) < 0) ++free;
  }
  return free;
}

double cpu_seconds_left() {
  rlimit limit{};
  timespec used{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY ||
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) {
    return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(limit.rlim_max) - static_cast<double>(used.tv_sec) -
         static_cast<double>(used.tv_nsec) / 1e9;
}

}  // namespace tidegauge
