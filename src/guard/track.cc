// SPDX-License-Identifier: Apache-2.0
#include "guard/track.h"

#include <algorithm>

namespace tidegauge::guard {

namespace {

// Of the whole life the latest half to whole counts: how a job began says little about how it goes
// on.
constexpr std::size_t kWindow = 32;
constexpr std::size_t kParts = 4;
constexpr std::size_t kFewest = kWindow - kParts;  // stretches from which growth is told

// Less growth than this between two parts is what allocators do.
constexpr double kNoiseBytes = 256.0 * 1024;
constexpr double kNoiseShare = 0.001;

// A warm-up slows down; the fastest part may have been luckier than the last by this much.
constexpr double kAsFastAsEver = 0.75;
// And what is no spike that has just begun rose before it, too.
constexpr double kSteadily = 0.4;

// What a job takes at once it takes without a pause, and in less time than this.
constexpr std::int64_t kMomentNs = 250'000'000;

}  // namespace

void Track::begin_stretch(double used) {
  if (count_ == kStretches) halve();
  stretches_[count_++] = {used, used, 0};
}

void Track::halve() {
  for (std::size_t i = 0; i < kStretches / 2; ++i) {
    const auto& one = stretches_[2 * i];
    const auto& two = stretches_[2 * i + 1];
    stretches_[i] = {std::min(one.low, two.low), std::max(one.high, two.high),
                     std::max(one.jump, two.jump)};
  }
  count_ = kStretches / 2;
  width_ns_ *= 2;
}

// Between two looks that are far apart nobody knows how it rose: that counts as one.
void Track::add_jump(std::int64_t at_ns, double used) {
  if (used <= last_ || at_ns - foot_ns_ > kMomentNs) {
    foot_ = std::min(last_, used);
    foot_ns_ = at_ns;
  }
  auto& jump = stretches_[count_ - 1].jump;
  jump = std::max(jump, used - foot_);
}

void Track::add(std::int64_t at_ns, double used) {
  if (count_ == 0) {
    until_ns_ = at_ns + width_ns_;
    begin_stretch(used);
    last_ = used;
  }
  // A stretch in which nobody looked is taken to have been as before. After a long sleep of the
  // machine only as many are filled as there is place for.
  for (std::size_t filled = 0; at_ns >= until_ns_; ++filled) {
    if (filled == kStretches) {
      until_ns_ = at_ns + width_ns_;
      break;
    }
    begin_stretch(last_);
    until_ns_ += width_ns_;
  }
  auto& current = stretches_[count_ - 1];
  current.low = std::min(current.low, used);
  current.high = std::max(current.high, used);
  add_jump(at_ns, used);
  last_ = used;
}

double Track::lowest(std::size_t from, std::size_t to) const {
  double low = stretches_[from].low;
  for (std::size_t i = from; i < to; ++i) low = std::min(low, stretches_[i].low);
  return low;
}

double Track::largest_spike(std::size_t from, std::size_t to) const {
  const double low = lowest(from, to);
  double high = low;
  for (std::size_t i = from; i < to; ++i) high = std::max(high, stretches_[i].high);
  return high - low;
}

Shape Track::shape() const {
  Shape shape;
  if (count_ == 0) return shape;
  shape.floor = stretches_[count_ - 1].low;
  for (std::size_t i = 0; i + 1 < count_; ++i) shape.top = std::max(shape.top, stretches_[i].high);
  for (std::size_t i = count_ - std::min(count_, kWindow); i < count_; ++i) {
    shape.jump = std::max(shape.jump, stretches_[i].jump);
  }
  const std::size_t whole = count_ - 1;  // the one under way says nothing about lows yet
  const std::size_t size = std::min(whole, kWindow) / kParts;
  if (size * kParts < kFewest) return shape;

  const std::size_t from = whole - size * kParts;
  for (std::size_t i = from; i < count_; ++i) {
    shape.lately = std::max(shape.lately, stretches_[i].high);
  }
  std::array<double, kParts> floors{};
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto begin = from + part * size;
    floors[part] = lowest(begin, begin + size);
    shape.spike = std::max(shape.spike, largest_spike(begin, begin + size));
  }
  const double noise = std::max(kNoiseBytes, floors.back() * kNoiseShare);
  const double part_seconds = static_cast<double>(width_ns_) * static_cast<double>(size) / 1e9;
  double slowest = floors[1] - floors[0];
  double fastest = slowest;
  for (std::size_t part = 1; part < kParts; ++part) {
    slowest = std::min(slowest, floors[part] - floors[part - 1]);
    fastest = std::max(fastest, floors[part] - floors[part - 1]);
  }
  const double latest = floors[kParts - 1] - floors[kParts - 2];
  const double grown = floors.back() - floors.front();
  // A spike that begins as a warm-up ends looks like one more part of growth, but stands still.
  const bool goes_on = stretches_[whole - 1].low > floors.back() + noise;
  shape.seen_seconds = part_seconds * static_cast<double>(kParts);
  shape.floor = floors.back();
  shape.rising = goes_on && slowest > std::max(noise, kSteadily * fastest) &&
                 latest >= kAsFastAsEver * fastest;
  if (grown > noise) {
    shape.bytes_per_second = grown / (part_seconds * static_cast<double>(kParts - 1));
  }
  // The lowest of a part that rises is where it began; its growth is no spike.
  if (shape.rising) {
    shape.floor = std::min(stretches_[count_ - 1].low, floors.back() + latest);
    shape.spike = std::max(shape.spike - fastest, 0.0);
  }
  return shape;
}

}  // namespace tidegauge::guard
