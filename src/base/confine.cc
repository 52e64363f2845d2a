// SPDX-License-Identifier: Apache-2.0
#include "base/confine.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tidegauge {

namespace {

constexpr uid_t kNobody = 65534;  // the kernel's overflow id: owns nothing

// In a container that has no such user, root stays root, and without capabilities.
Result<> become_nobody() {
  if (::geteuid() != 0 && ::getuid() != 0) return Ok{};
  // EPERM: in a user namespace that may not, where the groups are those of whoever made it.
  if (::setgroups(0, nullptr) != 0 && errno != EPERM) return from_errno(errno, "setgroups");
  if (::setresgid(kNobody, kNobody, kNobody) != 0 && errno != EINVAL) {
    return from_errno(errno, "setresgid");
  }
  if (::setresuid(kNobody, kNobody, kNobody) != 0 && errno != EINVAL) {
    return from_errno(errno, "setresuid");
  }
  return Ok{};
}

Result<> drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capset, &header, none) != 0) return from_errno(errno, "capset");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return from_errno(errno, "no_new_privs");
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return from_errno(errno, "dumpable");
  return Ok{};
}

Result<> limit(decltype(RLIMIT_CPU) what, rlim_t most, const char* name) {
  const rlimit value{most, most};
  return ::setrlimit(what, &value) == 0 ? Result<>(Ok{}) : from_errno(errno, name);
}

}  // namespace

Result<> confine(const Confinement& limits) {
  for (const int signal : {SIGALRM, SIGXCPU, SIGPIPE, SIGTERM}) std::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::alarm(limits.seconds);
  // A process with a lower priority than wished for is no reason to stop.
  const auto ignored = ::setpriority(PRIO_PROCESS, 0, limits.niceness);
  static_cast<void>(ignored);
  if (auto done = limit(RLIMIT_CPU, limits.seconds, "RLIMIT_CPU"); !done) return done;
  if (auto done = limit(RLIMIT_FSIZE, 0, "RLIMIT_FSIZE"); !done) return done;
  if (auto done = limit(RLIMIT_CORE, 0, "RLIMIT_CORE"); !done) return done;
  if (auto done = become_nobody(); !done) return done;
  if (auto done = limit(RLIMIT_NPROC, 0, "RLIMIT_NPROC"); !done) return done;
  return drop_capabilities();
}

}  // namespace tidegauge
