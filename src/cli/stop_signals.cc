// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace tidegauge::cli {

namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const auto set = stop_set();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_ = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
  let_through();
}

void StopSignals::let_through() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignals::taken() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return false;
  let_through();
  return true;
}

}  // namespace tidegauge::cli
