// SPDX-License-Identifier: Apache-2.0
#include "base/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

namespace tidegauge {
namespace {

// How a process ends that does `work` once it is confined.
int status_of(const Confinement& limits, const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(confine(limits) ? work() : 99);
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(Confine, WhoeverIsConfinedHasNoRightsLeft) {
  EXPECT_EQ(status_of({},
                      [] {
                        if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 1;
                        if (::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) return 2;
                        if (::fork() >= 0) return 3;
                        if (::setuid(0) == 0 && ::getuid() == 0) return 4;
                        return ::getuid() == 0 ? 5 : 0;
                      }),
            0);
}

TEST(Confine, NoFileGrows) {
  const int status = status_of({}, [] {
    const int fd = ::open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (fd < 0) return 1;
    std::signal(SIGXFSZ, SIG_IGN);
    return ::write(fd, "x", 1) < 0 && errno == EFBIG ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

TEST(Confine, TheKernelEndsItAfterItsTimeWhateverSignalsWereBlockedBefore) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const int status = status_of({.seconds = 1}, [] {
    while (true) ::pause();
    return 0;
  });
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

}  // namespace
}  // namespace tidegauge
