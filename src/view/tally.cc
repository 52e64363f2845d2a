// SPDX-License-Identifier: Apache-2.0
#include "view/tally.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::view {

namespace {

// Less than a twentieth, or than a worker's own small change.
constexpr double kConstantShare = 0.05;
constexpr double kConstantBytes = 4 << 20;
// What is of late. One sample of a short run may be a spike's, and so may the one that a new block
// begins with; but what grows must not lag behind by much.
constexpr std::uint64_t kFewestOfLate = 4;
constexpr std::uint64_t kManyOfLate = 8;
constexpr std::uint64_t kShareOfShort = 8;
constexpr std::uint64_t kShareOfLong = 20;

}  // namespace

void Tally::add(double bytes) {
  if (!std::isfinite(bytes)) return;
  before_[count_ % kLastMoments] = {.floor = floor_of_late(), .last = last_};
  ended_ = false;
  if (count_ == 0) first_ = min_ = max_ = bytes;
  min_ = std::min(min_, bytes);
  max_ = std::max(max_, bytes);
  last_ = bytes;
  sum_ += bytes;
  ++count_;
  if (in_block_ == block_length_ || used_ == 0) {
    if (used_ == kBlocks) {
      for (std::size_t i = 0; i < kBlocks / 2; ++i) {
        lows_[i] = std::min(lows_[2 * i], lows_[2 * i + 1]);
      }
      used_ = kBlocks / 2;
      block_length_ *= 2;
    }
    lows_[used_++] = static_cast<float>(bytes);
    in_block_ = 0;
  }
  auto& low = lows_[used_ - 1];
  low = std::min(low, static_cast<float>(bytes));
  ++in_block_;
}

void Tally::repeat(std::uint64_t times) {
  for (; count_ > 0 && times > 0; --times) add(last_);
}

double Tally::floor() const {
  if (ended_ && count_ > 1) {
    for (auto moments = std::min<std::uint64_t>(kLastMoments, count_ - 1); moments > 0; --moments) {
      const Before& before = before_[(count_ - moments) % kLastMoments];
      const bool newest = moments == 1;
      const double then = newest ? last_ : before_[(count_ - moments + 1) % kLastMoments].last;
      if (then < kFellAtTheEnd * before.last) return before.floor;
    }
  }
  return floor_of_late();
}

double Tally::floor_of_late() const {
  if (used_ == 0) return 0;
  const auto fewest = std::min(kFewestOfLate, count_ / 2 + 1);  // of a handful, the later half
  const auto wanted =
      std::max({fewest, std::min(kManyOfLate, count_ / kShareOfShort), count_ / kShareOfLong});
  std::size_t from = used_ - 1;
  for (auto seen = in_block_; from > 0 && seen < wanted; seen += block_length_) --from;
  return static_cast<double>(*std::min_element(lows_.data() + from, lows_.data() + used_));
}

bool Tally::constant() const {
  return max_ - min_ <= std::max(kConstantBytes, kConstantShare * average());
}

}  // namespace tidegauge::view
