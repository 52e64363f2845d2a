// SPDX-License-Identifier: Apache-2.0
#include "census/aside.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

#include "base/clock.h"

namespace tidegauge::census {

void stand_aside(const char* name) {
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  ::prctl(PR_SET_NAME, name);
}

void lower_limit(int what, std::uint64_t most) {
  const auto resource = static_cast<__rlimit_resource>(what);
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  const auto least = std::min<rlim_t>(most, now.rlim_max);
  const rlimit lower{std::min(least, now.rlim_cur), least};
  ::setrlimit(resource, &lower);
}

void take_no_more_than(std::uint64_t bytes) {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  std::array<std::uint64_t, 6> pages{};  // size, resident, shared, text, library, data
  std::ifstream statm("/proc/self/statm");
  for (auto& one : pages) statm >> one;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  lower_limit(RLIMIT_DATA, pages.back() * page + bytes);
}

double now_ms() {
  return static_cast<double>(clock_ns(CLOCK_MONOTONIC)) / 1e6;
}

}  // namespace tidegauge::census
