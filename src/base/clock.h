// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace tidegauge {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline double clock_seconds(clockid_t clock) {
  return static_cast<double>(clock_ns(clock)) / 1e9;
}

// CPU time of this thread since the clock was made: what something cost, whatever else ran.
class CpuClock {
 public:
  double seconds() const { return static_cast<double>(now() - began_ns_) / 1e9; }

 private:
  static std::int64_t now() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

  std::int64_t began_ns_ = now();
};

}  // namespace tidegauge
