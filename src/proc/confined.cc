// SPDX-License-Identifier: Apache-2.0
#include "proc/confined.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <optional>

#include "base/beside.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/write_all.h"
#include "proc/root.h"
#include "proc/roots.h"

namespace tidegauge::proc {

namespace {

bool drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  return ::syscall(SYS_capset, &header, none) == 0;
}

// A user that is not root may keep its ids only; root takes on the others'. False: it could not.
bool take_on(const UserIds& ids) {
  if (::geteuid() != 0) return true;
  return ::setgroups(ids.groups.size(), ids.groups.data()) == 0 &&
         ::setresgid(ids.group, ids.group, ids.group) == 0 &&
         ::setresuid(ids.user, ids.user, ids.user) == 0;
}

bool limit(int resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return false;
  const rlim_t value = std::min(most, now.rlim_max);
  const rlimit to{.rlim_cur = value, .rlim_max = value};
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &to) == 0;
}

std::uint64_t mapped_bytes() {
  const auto root = Root::open(Roots{}.proc);
  const auto text = root ? root->read("self/statm") : Result<std::string>(root.error());
  std::string_view words = text ? *text : std::string_view();
  const auto pages = to_number<std::uint64_t>(next_word(words));
  return pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

bool confine(const UserIds& as, const Confines& confines, int keep, pid_t parent) {
  // Signals to us, and those that we block, are not this child's.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) std::signal(one, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);
  const auto memory = mapped_bytes() + confines.memory_bytes;
  if (keep > 0) ::close_range(0, static_cast<unsigned>(keep) - 1, 0);
  ::close_range(static_cast<unsigned>(keep) + 1, ~0U, 0);
  const bool limited = limit(RLIMIT_AS, memory) && limit(RLIMIT_CORE, 0) &&
                       limit(RLIMIT_FSIZE, 0) &&
                       limit(RLIMIT_CPU, static_cast<rlim_t>(std::ceil(confines.seconds)));
  if (!limited || ::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 || !take_on(as) ||
      !drop_capabilities()) {
    return false;
  }
  ::prctl(PR_SET_DUMPABLE, 0UL);       // the user whose ids these are now may not trace it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a change of ids clears this, so it comes last
  return ::getppid() == parent;
}

// What comes on `fd` until it is closed. Nothing: not in time, or more than `most`.
std::optional<std::string> read_until_closed(int fd, std::size_t most, double seconds) {
  const double until = clock_seconds(CLOCK_MONOTONIC) + seconds;
  std::string answer;
  while (true) {
    const double left = until - clock_seconds(CLOCK_MONOTONIC);
    pollfd waits{.fd = fd, .events = POLLIN, .revents = 0};
    if (left <= 0) return {};
    const int ready = ::poll(&waits, 1, static_cast<int>(left * 1e3) + 1);
    if (ready < 0 && errno != EINTR) return {};
    if (ready <= 0) continue;
    char piece[4096];
    const ssize_t got = ::read(fd, piece, sizeof piece);
    if (got == 0) return answer;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return answer;
    if (got > 0) answer.append(piece, static_cast<std::size_t>(got));
    if (answer.size() > most) return {};
  }
}

}  // namespace

Result<> become(const UserIds& user) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) != 0 || ::geteuid() != 0 || !take_on(user) ||
      !drop_capabilities()) {
    return from_errno(errno == 0 ? EPERM : errno, fmt::format("becoming user {}", user.user));
  }
  return Ok{};
}

Result<std::string> answer_confined(const UserIds& as, const Confines& confines,
                                    const std::function<std::string()>& work) {
  const pid_t parent = ::getpid();
  auto child = start_beside(LineKind::Stream, [&](UniqueFd line) {
    if (!confine(as, confines, line.get(), parent)) ::_exit(2);
    const auto answer = work();
    if (!write_all(line.get(), answer, "answer")) ::_exit(1);
  });
  if (!child) return child.error();
  auto answer = read_until_closed(child->line.get(), confines.answer_bytes, confines.seconds);
  if (!answer) ::kill(child->pid, SIGKILL);  // it is not waited for yet: the pid is still its own
  int status = 0;
  while (::waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answer) {
    return Error{Reason::Failed, fmt::format("it took longer than {} s", confines.seconds)};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return *std::move(answer);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
    return Error{Reason::Denied, "a process without privileges could not be made"};
  }
  return Error{Reason::Failed, "the process that read it ran out of memory or crashed"};
}

}  // namespace tidegauge::proc
