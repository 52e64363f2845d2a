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

bool shares_its_core(pid_t tid) {
  const int policy = ::sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
  return policy == SCHED_OTHER || policy == SCHED_BATCH;
}

}  // namespace

void Hastened::put_back() {
  if (tid != 0) set_nice(tid, nice);
  tid = 0;
}

Haste::Haste(pid_t stopped, Hastened& hastened) : hastened_(hastened) {
  errno = 0;
  const int before = ::getpriority(PRIO_PROCESS, static_cast<id_t>(stopped));
  if (errno != 0 || !shares_its_core(stopped)) return;
  // Written down first: we may be killed at any moment.
  hastened_.nice = before;
  hastened_.tid = stopped;
  if (!set_nice(stopped, kUrgent)) hastened_.tid = 0;
}

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
