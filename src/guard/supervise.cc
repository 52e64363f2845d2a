// SPDX-License-Identifier: Apache-2.0
#include "guard/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.h"
#include "guard/companion.h"
#include "guard/launch.h"
#include "guard/pty.h"
#include "guard/signals.h"

namespace tidegauge::guard {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// How far apart the same signal may reach us and our companion if it was sent to both. The kernel
// signals a group at once; a service manager goes through its processes one by one.
constexpr std::int64_t kTogetherNs = 50 * kMillisecond;
// How long a terminal that does not take output (Ctrl-S) may hold up the end.
constexpr std::int64_t kDrainNs = 5'000 * kMillisecond;
constexpr int kSignalBase = 128;  // what shells add to the number of the signal

std::int64_t now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

// Whether the terminal's keys are for us or for the job now.
bool in_foreground(pid_t job) {
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return false;
  const auto group = ::tcgetpgrp(terminal.get());
  return group == ::getpgrp() || group == ::getpgid(job);
}

struct Held {  // a signal of which it is not known yet whether the job has it already
  int signal = 0;
  std::int64_t came_ns = 0;
};

}  // namespace

struct Job::State {
  State(SignalWatch its_signals, std::optional<Companion> its_companion, bool is_tapped)
      : signals(std::move(its_signals)), companion(std::move(its_companion)), tapped(is_tapped) {}

  void take_signals();
  void on_signal(const signalfd_siginfo& info);
  void reap();
  void on_child(const siginfo_t& info);
  void end(const siginfo_t& info);
  void stop_with_job(int signal);
  void take_news();
  void on_news(const Message& message);
  void pass_on_held();
  bool has_it(const Held& held) const;
  std::int64_t wait_ns(std::int64_t timeout_ns) const;

  SignalWatch signals;
  std::optional<Companion> companion;
  bool tapped;
  pid_t pid = -1;
  bool reaped = false;
  bool interrupted = false;
  bool told_to_end = false;
  bool stops_are_short = false;
  std::optional<Status> ended{};
  std::optional<std::int64_t> drained_by_ns{};  // while the terminal does not have everything yet
  std::vector<Held> held{};
  std::array<std::int64_t, NSIG> witness_got_ns{};
  std::function<void(std::string_view)> take_output{};
};

void Job::State::take_signals() {
  while (const auto info = signals.next()) {
    if (info->ssi_signo == SIGCHLD) {
      reap();
    } else {
      on_signal(*info);
    }
  }
}

void Job::State::on_signal(const signalfd_siginfo& info) {
  const int signal = static_cast<int>(info.ssi_signo);
  const bool from_terminal = info.ssi_code == SI_KERNEL;
  if (signal == SIGINT && from_terminal) interrupted = true;
  if (signal == SIGTERM && !reaped) told_to_end = true;
  if (reaped || signal == SIGTTIN || signal == SIGTTOU) return;
  // Keys and the window speak to whole groups, and the job is in ours or has one of its own.
  if (from_terminal && signal != SIGHUP) return;
  if (tapped && signal == SIGWINCH) return;  // the companion knows when its terminal has the size
  // What the job itself sends to its parent is not meant for the job.
  if (info.ssi_code != SI_KERNEL && info.ssi_pid == static_cast<std::uint32_t>(pid)) return;
  held.push_back({signal, now_ns()});
}

// A job with a process group of its own has nothing that was sent to ours.
bool Job::State::has_it(const Held& one) const {
  return ::getpgid(pid) == ::getpgrp() &&
         witness_got_ns[static_cast<std::size_t>(one.signal)] >= one.came_ns - kTogetherNs;
}

void Job::State::pass_on_held() {
  const auto now = now_ns();
  std::erase_if(held, [this, now](const Held& one) {
    if (companion && has_it(one)) return true;
    if (companion && now < one.came_ns + kTogetherNs) return false;
    if (!reaped) ::kill(pid, one.signal);
    return true;
  });
}

// Everything that ended is reaped, orphans that were given to us too.
void Job::State::reap() {
  while (true) {
    siginfo_t info{};
    constexpr int kWhat = WEXITED | WSTOPPED | WCONTINUED | WNOHANG;
    if (::waitid(P_ALL, 0, &info, kWhat) != 0 || info.si_pid == 0) return;
    on_child(info);
  }
}

void Job::State::on_child(const siginfo_t& info) {
  const bool gone = info.si_code != CLD_STOPPED && info.si_code != CLD_CONTINUED;
  if (info.si_pid == pid) {
    if (gone) end(info);
    if (info.si_code == CLD_STOPPED) stop_with_job(info.si_status);
  } else if (gone && companion && info.si_pid == companion->pid()) {
    take_news();
    companion.reset();
    drained_by_ns.reset();
  }
}

void Job::State::end(const siginfo_t& info) {
  reaped = true;
  const bool by_itself = info.si_code == CLD_EXITED;
  ended = Status{.exited = by_itself,
                 .code = by_itself ? info.si_status : kSignalBase + info.si_status,
                 .signal = by_itself ? 0 : info.si_status};
  if (!tapped || !companion) return;
  companion->finish();
  drained_by_ns = now_ns() + kDrainNs;
}

// The shell that started us must see that its job has stopped, and not before it has: else the job
// could still take what is typed for the shell. One that was stopped from elsewhere while nobody
// sits in front of it will be continued from elsewhere, and nobody would do that for us.
void Job::State::stop_with_job(int signal) {
  if (signal == SIGSTOP && (stops_are_short || !in_foreground(pid))) return;
  signals.stop_us(signal == SIGSTOP ? SIGTSTP : signal);
}

void Job::State::take_news() {
  while (companion) {
    const auto message = companion->next();
    if (!message) return;
    on_news(*message);
    if (message->news == RelayNews::Gone) return;
  }
}

void Job::State::on_news(const Message& message) {
  switch (message.news) {
    case RelayNews::Signal:
      if (message.number > 0 && message.number < NSIG) {
        witness_got_ns[static_cast<std::size_t>(message.number)] = now_ns();
      }
      break;
    case RelayNews::Output:
      if (take_output) take_output(message.bytes);
      break;
    case RelayNews::Drained:
      drained_by_ns.reset();
      break;
    case RelayNews::Gone:
      companion.reset();
      drained_by_ns.reset();
      break;
  }
}

std::int64_t Job::State::wait_ns(std::int64_t timeout_ns) const {
  auto wait = timeout_ns < 0 ? INT64_MAX : timeout_ns;
  const auto now = now_ns();
  for (const auto& one : held) {
    wait = std::min(wait, std::max<std::int64_t>(one.came_ns + kTogetherNs - now, 0));
  }
  if (drained_by_ns) wait = std::min(wait, std::max<std::int64_t>(*drained_by_ns - now, 0));
  return wait;
}

Job::Job(std::unique_ptr<State> state) : state_(std::move(state)) {}
Job::Job(Job&&) noexcept = default;
Job& Job::operator=(Job&&) noexcept = default;
Job::~Job() {
  if (state_) ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

Result<Job> Job::start(const Launch& what) {
  auto signals = SignalWatch::begin();
  if (!signals) return Error{Reason::Failed, signals.error().what};
  Pty pty;
  const bool needs_the_real_one =
      is_interactive_shell(what.arguments) || is_for_the_screen(what.arguments);
  if (what.tap_terminal && ::isatty(STDOUT_FILENO) == 1 && !needs_the_real_one) {
    if (auto opened = open_pty_like(STDOUT_FILENO)) pty = *std::move(opened);
  }
  // Without a companion all works but the finest points; the job is what matters.
  auto companion = what.companion
                       ? Companion::start(pty.master.get())
                       : Result<Companion>(Error{Reason::Unsupported, "no companion is wanted"});
  if (!companion) pty = Pty();
  auto state = std::make_unique<State>(
      *std::move(signals),
      companion ? std::optional<Companion>(*std::move(companion)) : std::nullopt, bool(pty.slave));
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto pid = launch(what, state->signals, pty.slave.get());
  if (!pid) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    return pid.error();
  }
  state->pid = *pid;
  state->stops_are_short = what.stops_are_short;
  return Job(std::move(state));
}

pid_t Job::pid() const {
  return state_->pid;
}

void Job::pump(std::int64_t timeout_ns, int extra_fd, int other_fd) {
  auto& state = *state_;
  const auto wait = state.wait_ns(timeout_ns);
  const timespec limit{wait / 1'000'000'000, wait % 1'000'000'000};
  std::array<pollfd, 4> fds{{{state.signals.fd(), POLLIN, 0},
                             {state.companion ? state.companion->fd() : -1, POLLIN, 0},
                             {extra_fd, POLLIN, 0},
                             {other_fd, POLLIN, 0}}};
  if (::ppoll(fds.data(), fds.size(), &limit, nullptr) > 0) {
    if (fds[1].revents != 0) state.take_news();
    if (fds[0].revents != 0) state.take_signals();
  }
  state.pass_on_held();
  if (state.drained_by_ns && now_ns() >= *state.drained_by_ns) state.drained_by_ns.reset();
}

std::optional<Status> Job::status() const {
  if (state_->drained_by_ns) return {};
  return state_->ended;
}

std::optional<Status> Job::ended() const {
  return state_->ended;
}

bool Job::was_told_to_end() const {
  return state_->told_to_end;
}

bool Job::interrupted_by_terminal() const {
  return state_->interrupted;
}

void Job::on_output(std::function<void(std::string_view)> take) {
  state_->take_output = std::move(take);
}

}  // namespace tidegauge::guard
