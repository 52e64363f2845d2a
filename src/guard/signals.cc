// SPDX-License-Identifier: Apache-2.0
#include "guard/signals.h"

#include <cerrno>
#include <utility>

namespace tidegauge::guard {

const sigset_t& signals_of_the_job() {
  static const sigset_t kSignals = [] {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP}) {
      ::sigaddset(&set, signal);
    }
    return set;
  }();
  return kSignals;
}

Result<SignalWatch> SignalWatch::begin() {
  SignalWatch watch;
  sigset_t signals = signals_of_the_job();
  for (const int signal : {SIGCHLD, SIGTTIN, SIGTTOU}) ::sigaddset(&signals, signal);
  watch.fd_ = UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!watch.fd_) return from_errno(errno, "signalfd");
  // Whoever started us may ignore SIGCHLD; then the kernel would not tell how the job ended.
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &usual, &watch.child_before_);
  ::sigprocmask(SIG_BLOCK, &signals, &watch.mask_before_);
  watch.ours_ = true;
  return watch;
}

SignalWatch::SignalWatch(SignalWatch&& other) noexcept
    : fd_(std::move(other.fd_)),
      mask_before_(other.mask_before_),
      child_before_(other.child_before_),
      ours_(std::exchange(other.ours_, false)) {}

SignalWatch::~SignalWatch() {
  if (!ours_) return;
  while (next()) {
  }  // what came late would end us as soon as the mask is back
  restore();
}

std::optional<signalfd_siginfo> SignalWatch::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return {};
  return info;
}

void SignalWatch::stop_us(int signal) const {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);  // here we stop, unless nobody could continue us
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
}

void SignalWatch::restore() const {
  ::sigaction(SIGCHLD, &child_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

}  // namespace tidegauge::guard
