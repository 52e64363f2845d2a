// SPDX-License-Identifier: Apache-2.0
#include "proc/turns.h"

#include <ctime>

namespace tidegauge::proc {

namespace {

// Long enough for a waiting writer to wake up and take its lock; 10 pauses a look are 10 ms.
constexpr timespec kPause = {0, 1'000'000};
// A timer interrupt takes some 10 us; a task that gets our core keeps it for milliseconds.
constexpr double kLostCoreSeconds = 1e-3;

}  // namespace

KeepCore::KeepCore() {
  Before before{::sched_getscheduler(0), {}};
  if (before.policy != SCHED_OTHER || ::sched_getparam(0, &before.parameter) != 0) return;
  sched_param lowest_real_time{};
  lowest_real_time.sched_priority = ::sched_get_priority_min(SCHED_FIFO);
  // A child that is started meanwhile must not inherit it.
  if (::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest_real_time) == 0) {
    before_ = before;
  }
}

KeepCore::~KeepCore() {
  if (before_) ::sched_setscheduler(0, before_->policy, &before_->parameter);
}

void Turns::begin() {
  keep_core_.emplace();
  turn_cpu_began_ = cpu_.seconds();
  turn_began_ = clock_seconds(CLOCK_MONOTONIC);
}

void Turns::end() {
  const double ran = cpu_.seconds() - turn_cpu_began_;
  const double took = clock_seconds(CLOCK_MONOTONIC) - turn_began_;
  disturbed_ = disturbed_ || took - ran > kLostCoreSeconds;
  keep_core_.reset();
}

void Turns::between(double turn_seconds) {
  if (cpu_.seconds() - turn_cpu_began_ >= turn_seconds) pause();
}

void Turns::pause() {
  end();
  ::nanosleep(&kPause, nullptr);
  ++pauses_;
  begin();
}

}  // namespace tidegauge::proc
