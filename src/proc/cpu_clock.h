// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace tidegauge::proc {

inline double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// CPU time of this thread since the clock was made: what something cost, whatever else ran.
class CpuClock {
 public:
  double seconds() const { return seconds_of(CLOCK_THREAD_CPUTIME_ID) - began_; }

 private:
  double began_ = seconds_of(CLOCK_THREAD_CPUTIME_ID);
};

}  // namespace tidegauge::proc
