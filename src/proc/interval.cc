// SPDX-License-Identifier: Apache-2.0
#include "proc/interval.h"

#include <algorithm>

namespace tidegauge::proc {

namespace {

// For trees of thousands; one of 25 processes takes a twentieth of this at 1 Hz.
constexpr double kMostOfACore = 0.02;
constexpr double kNoticeably = 1.2;

}  // namespace

void Interval::add_look(double cpu_seconds) {
  last_[looks_++ % last_.size()] = cpu_seconds;
}

void Interval::add_to_look(double cpu_seconds) {
  if (looks_ > 0) last_[(looks_ - 1) % last_.size()] += cpu_seconds;
}

double Interval::look_seconds() const {
  if (looks_ < last_.size()) return 0;
  auto sorted = last_;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

double Interval::seconds() const {
  return std::max(asked_seconds_, look_seconds() / kMostOfACore);
}

bool Interval::is_stretched() const {
  return seconds() > kNoticeably * asked_seconds_;
}

}  // namespace tidegauge::proc
