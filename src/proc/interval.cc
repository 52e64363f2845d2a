// SPDX-License-Identifier: Apache-2.0
#include "proc/interval.h"

#include <algorithm>

namespace tidegauge::proc {

namespace {

// For trees of thousands; one of 25 processes takes a twentieth of this at 1 Hz.
constexpr double kMostOfACore = 0.02;
// A look that had to get to know many new processes costs several times an ordinary one: it counts,
// but is soon forgotten.
constexpr double kWeightOfLast = 0.3;
constexpr double kNoticeably = 1.2;

}  // namespace

void Interval::add_look(double cpu_seconds) {
  look_seconds_ = look_seconds_ == 0
                      ? cpu_seconds
                      : kWeightOfLast * cpu_seconds + (1 - kWeightOfLast) * look_seconds_;
}

double Interval::seconds() const {
  return std::max(asked_seconds_, look_seconds_ / kMostOfACore);
}

bool Interval::is_stretched() const {
  return seconds() > kNoticeably * asked_seconds_;
}

}  // namespace tidegauge::proc
