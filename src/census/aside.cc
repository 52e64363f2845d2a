// SPDX-License-Identifier: Apache-2.0
#include "census/aside.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

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

void take_no_more_than(double bytes) {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  std::array<std::uint64_t, 6> pages{};  // size, resident, shared, text, library, data
  std::ifstream statm("/proc/self/statm");
  for (auto& one : pages) statm >> one;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto most = pages.back() * page + static_cast<std::uint64_t>(bytes);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_DATA, &limit);
}

double now_ms() {
  return static_cast<double>(clock_ns(CLOCK_MONOTONIC)) / 1e6;
}

}  // namespace tidegauge::census
