// SPDX-License-Identifier: Apache-2.0
#include "base/inherited.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "base/fd.h"

namespace tidegauge {
namespace {

// In a process of its own, whose limits are nobody else's.
int in_a_child(int (*work)()) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(work());
  int status = -1;
  ::waitpid(pid, &status, 0);
  return status;
}

TEST(Inherited, WeUseWhatIsAllowedAndGiveBackWhatWasGiven) {
  EXPECT_EQ(in_a_child([] {
              rlimit given{};
              ::getrlimit(RLIMIT_NOFILE, &given);
              given.rlim_cur = given.rlim_max / 2;
              ::setrlimit(RLIMIT_NOFILE, &given);
              const auto& inherited = Inherited::at_start();
              use_what_is_allowed();
              rlimit now{};
              ::getrlimit(RLIMIT_NOFILE, &now);
              struct sigaction action {};
              ::sigaction(SIGXFSZ, nullptr, &action);
              if (now.rlim_cur != given.rlim_max || action.sa_handler != SIG_IGN) return 1;
              inherited.give_back();
              ::getrlimit(RLIMIT_NOFILE, &now);
              ::sigaction(SIGXFSZ, nullptr, &action);
              return now.rlim_cur == given.rlim_cur && action.sa_handler == SIG_DFL ? 0 : 2;
            }),
            0);
}

TEST(Inherited, AFileAtItsLimitIsAnErrorAndNoEnd) {
  EXPECT_EQ(in_a_child([] {
              use_what_is_allowed();
              const rlimit none{0, 0};
              ::setrlimit(RLIMIT_FSIZE, &none);
              const UniqueFd file(::open("/tmp", O_TMPFILE | O_RDWR, 0600));
              return ::write(file.get(), "x", 1) < 0 ? 0 : 1;
            }),
            0);
}

TEST(FreeDescriptors, AreThoseThatCanStillBeOpened) {
  EXPECT_EQ(in_a_child([] {
              const rlimit ten{10, 10};
              ::setrlimit(RLIMIT_NOFILE, &ten);
              const auto before = free_descriptors(100);
              const UniqueFd one(::open("/", O_PATH));
              return before <= 10 && before == free_descriptors(100) + 1 && free_descriptors(2) == 2
                         ? 0
                         : 1;
            }),
            0);
}

TEST(CpuSecondsLeft, AreUnlimitedOrWhatTheKernelLeaves) {
  EXPECT_EQ(in_a_child([] {
              if (!std::isinf(cpu_seconds_left())) return 1;
              const rlimit minute{60, 60};
              ::setrlimit(RLIMIT_CPU, &minute);
              return cpu_seconds_left() <= 60 && cpu_seconds_left() > 30 ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace tidegauge
