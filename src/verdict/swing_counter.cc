// SPDX-License-Identifier: Apache-2.0
#include "verdict/swing_counter.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::verdict {

namespace {

// Changes are looked at for this many samples before a swing is counted.
constexpr std::uint64_t kLearning = 20;
// A swing stands out of noise when it is this many typical changes high…
constexpr double kTypicalChanges = 10;
// …and it must matter beside what the series does altogether, and beside its level.
constexpr double kShareOfLevel = 0.03;
// The threshold follows the noise slowly, every so many samples.
constexpr std::uint64_t kRelearnEvery = 256;
constexpr double kKeepOfThreshold = 0.7;
// Step of the running median.
constexpr double kMedianStep = 0.01;

}  // namespace

void SwingCounter::add(double at, double bytes) {
  if (count_ > 0) learn_size_of_changes(bytes);
  ++count_;
  previous_ = bytes;
  const double wanted = std::max(kTypicalChanges * typical_change_, kShareOfLevel * bytes);
  if (count_ == kLearning) {
    threshold_ = wanted;
    low_ = high_ = turned_ = {at, bytes};
  } else if (count_ > kLearning) {
    if (count_ % kRelearnEvery == 0) {
      threshold_ = kKeepOfThreshold * threshold_ + (1 - kKeepOfThreshold) * wanted;
    }
    follow({at, bytes});
  }
}

void SwingCounter::learn_size_of_changes(double bytes) {
  const double change = std::fabs(bytes - previous_);
  if (count_ < kLearning) {
    typical_change_ = std::max(typical_change_, change / 2);
  } else {
    typical_change_ += (change < typical_change_ ? -kMedianStep : kMedianStep) * typical_change_;
    if (typical_change_ == 0) typical_change_ = change * kMedianStep;
  }
}

void SwingCounter::follow(Extreme now) {
  if (now.bytes < low_.bytes) low_ = now;
  if (now.bytes > high_.bytes) high_ = now;
  if (direction_ != Direction::Down && high_.bytes - now.bytes > threshold_) {
    if (direction_ == Direction::Up) {
      ++rises_;
      rise_time_ += high_.at - turned_.at;
    }
    turned_ = high_;
    direction_ = Direction::Down;
    low_ = now;
  } else if (direction_ != Direction::Up && now.bytes - low_.bytes > threshold_) {
    if (direction_ == Direction::Down) {
      ++falls_;
      fall_time_ += low_.at - turned_.at;
    }
    turned_ = low_;
    direction_ = Direction::Up;
    high_ = now;
  }
}

}  // namespace tidegauge::verdict
