// SPDX-License-Identifier: Apache-2.0
#include "census/aside.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"

namespace tidegauge::census {

void stand_aside(const char* name) {
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  ::prctl(PR_SET_NAME, name);
}

double now_ms() {
  return static_cast<double>(clock_ns(CLOCK_MONOTONIC)) / 1e6;
}

}  // namespace tidegauge::census
