// SPDX-License-Identifier: Apache-2.0
#include "guard/kernel.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/terminal.h"
#include "guard/actor.h"
#include "guard/group_files.h"
#include "guard/herd.h"
#include "proc/root.h"
#include "proc/roots.h"

namespace tidegauge::guard {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// A number, or an event of a file with its name.
constexpr std::size_t kLargestNews = 4096;

timespec to_timespec(std::int64_t ns) {
  return {ns / kSecond, ns % kSecond};
}

// Nothing that a terminal or a service manager sends to the gauge is meant for us; and we must not
// hold its output open.
void settle() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  let_go_of_terminal();
}

void close_all_but(std::vector<int> kept) {
  kept.insert(kept.end(), {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
  std::sort(kept.begin(), kept.end());
  unsigned next = 0;
  for (const int fd : kept) {
    if (fd < 0) continue;
    const auto one = static_cast<unsigned>(fd);
    if (one > next) ::close_range(next, one - 1, 0);
    next = std::max(next, one + 1);
  }
  ::close_range(next, ~0U, 0);
}

// What `ps` and `pkill -f` see: the job's command line is a part of ours, and whoever kills all
// that has it in its own does not mean the one that lets the job go on.
void put_title(std::string_view title) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto shown = root ? root->read("self/cmdline") : Result<std::string>(root.error());
  char* const place = program_invocation_name;
  if (!shown || shown->empty() || std::memcmp(place, shown->data(), shown->size()) != 0) return;
  const auto room = shown->size() - 1;
  std::memset(place, 0, room);
  std::memcpy(place, title.data(), std::min(title.size(), room));
}

}  // namespace

std::int64_t Kernel::now_ns() const {
  return clock_ns(CLOCK_MONOTONIC);
}

void Kernel::pause(std::int64_t ns) const {
  const auto time = to_timespec(ns);
  ::nanosleep(&time, nullptr);
}

bool Kernel::wait(std::span<pollfd> fds, std::int64_t ns) const {
  const auto time = to_timespec(ns);
  return ::ppoll(fds.data(), fds.size(), &time, nullptr) > 0;
}

void Kernel::hush(int fd) const {
  std::array<char, kLargestNews> news;
  (void)!::read(fd, news.data(), news.size());
}

void Kernel::ring(int bell) const {
  const std::uint64_t one = 1;
  (void)!::write(bell, &one, sizeof one);
}

int Kernel::open_process(pid_t pid) const {
  return pidfd_of(pid).release();
}

bool Kernel::has_ended(int pidfd) const {
  pollfd one{pidfd, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

void Kernel::kill(int pidfd) const {
  ::syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, nullptr, 0);
}

// Fast enough where that is allowed, as good as it gets elsewhere.
void Kernel::come_first() const {
  ::prctl(PR_SET_NAME, "tg-guard");
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  const sched_param first{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
}

void Kernel::begin(const Hands& hands, const Post& post) const {
  settle();
  auto kept = kept_;
  kept.insert(kept.end(), {hands.wake, hands.bells.asked, hands.bells.done, hands.bells.wake,
                           hands.gauge, hands.trip_wire, hands.job});
  for (std::size_t i = 0; i < post.ahead_count; ++i) kept.push_back(post.ahead[i].pidfd);
  close_all_but(std::move(kept));
  if (post.kind == Kind::Twin) {
    ::prctl(PR_SET_NAME, "tg-guard-twin");
    ::mlockall(MCL_CURRENT | MCL_FUTURE);
  } else if (post.kind == Kind::Keeper) {
    ::prctl(PR_SET_NAME, "tg-keeper");
    ::setsid();
    put_title("tg-keeper: lets a job go on if its guard dies");
    ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
  }
  Herd herd;
  Hands ours = hands;
  ours.herd = &herd;
  run_post(ours, post);
}

Peer Kernel::start(const Hands& hands, const Post& post) const {
  const pid_t pid = ::fork();
  if (pid == 0) begin(hands, post);
  if (pid < 0) return {};
  const Peer peer{.pid = pid, .pidfd = open_process(pid), .slot = post.slot};
  if (peer.pidfd >= 0) return peer;
  const int error = errno;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  errno = error;
  return {};
}

void Kernel::bury(const Peer& peer) const {
  siginfo_t info{};
  ::waitid(P_PIDFD, static_cast<id_t>(peer.pidfd), &info, WEXITED | WNOHANG);
  ::close(peer.pidfd);
}

void Kernel::end() const {
  ::_exit(0);
}

}  // namespace tidegauge::guard
