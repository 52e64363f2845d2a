// SPDX-License-Identifier: Apache-2.0
#include "census/haste.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>

namespace tidegauge::census {

namespace {

constexpr int kUrgent = -20;

// setpriority() takes a thread's number where it says process.
bool set_nice(pid_t tid, int nice) {
  return ::setpriority(PRIO_PROCESS, static_cast<id_t>(tid), nice) == 0;
}

}  // namespace

void end_haste_of(pid_t child, pid_t parent) {
  errno = 0;
  const int nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(parent));
  if (errno == 0) set_nice(child, nice);
}

void hasten(pid_t helper) {
  set_nice(helper, kUrgent);
}

void hasten_ourselves() {
  const sched_param plain{};
  ::sched_setscheduler(0, SCHED_OTHER, &plain);
  set_nice(0, kUrgent);
  ::prctl(PR_SET_TIMERSLACK, 1UL);  // waits are as short as they say
}

}  // namespace tidegauge::census
