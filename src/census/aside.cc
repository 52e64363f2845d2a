// SPDX-License-Identifier: Apache-2.0
#include "census/aside.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

namespace tidegauge::census {

void stand_aside(const char* name) {
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  ::prctl(PR_SET_NAME, name);
}

double now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace tidegauge::census
