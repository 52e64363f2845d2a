// SPDX-License-Identifier: Apache-2.0
#include "guard/actor.h"

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/clock.h"
#include "base/terminal.h"
#include "guard/acting.h"
#include "guard/group_files.h"
#include "guard/herd.h"

namespace tidegauge::guard {

namespace {

constexpr double kLargestCall = 256.0 * 1024 * 1024;
// A freeze that lasts longer is not ours any more.
constexpr std::int64_t kLongestFreezeNs = 10'000'000'000;
constexpr std::int64_t kTwinLooksNs = 200'000'000;

// Nothing that a terminal or a service manager sends to the gauge is meant for us; and we must not
// hold its output open.
void settle() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  let_go_of_terminal();
}

// Fast enough where that is allowed, as good as it gets elsewhere.
void be_quick() {
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  const sched_param first{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

// Watches the actor; the job is never left frozen.
[[noreturn]] void run_twin(const Hands& hands, int actor) {
  ::prctl(PR_SET_NAME, "tg-guard-twin");
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  pollfd one{actor, POLLIN, 0};
  Herd herd;
  while (true) {
    if (!hands.cell.can_freeze()) herd.follow(hands.board);
    const timespec time{0, kTwinLooksNs};
    const bool gone = ::ppoll(&one, 1, &time, nullptr) > 0;
    if (hands.board.done) ::_exit(0);
    if (gone) break;
    const auto since = hands.board.frozen_since_ns.load();
    if (since == 0 || clock_ns(CLOCK_MONOTONIC) <= since + kLongestFreezeNs) continue;
    hands.cell.thaw();
    herd.go_on();
  }
  ::prctl(PR_SET_NAME, "tg-guard");
  be_quick();
  Actor successor(hands);
  successor.take_over();
  successor.run();
}

}  // namespace

double kernel_limit_of(double limit, double lendable) {
  return limit + std::min(lendable, kLargestCall);
}

void run_actor(const Hands& hands) {
  settle();
  ::prctl(PR_SET_NAME, "tg-guard");
  const int self = pidfd_of(::getpid()).release();
  const pid_t twin = self >= 0 ? ::fork() : -1;
  if (twin == 0) run_twin(hands, self);
  hands.board.twin = twin;
  be_quick();
  Actor(hands).run();
}

}  // namespace tidegauge::guard
