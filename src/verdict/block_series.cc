// SPDX-License-Identifier: Apache-2.0
#include "verdict/block_series.h"

#include <algorithm>
#include <cmath>

namespace tidegauge::verdict {

namespace {

// The block's counter is 32 bits wide: a block that full stops counting rather than wrap.
constexpr std::uint32_t kFull = 0x7fffffff;

}  // namespace

void BlockSeries::add(double at, double bytes) {
  at = count_ == 0 ? std::max(at, 0.0) : std::max(at, last_at_);
  if (count_ == 0) {
    first_ = peak_ = bytes;
  } else {
    learn_change(std::fabs(bytes - last_));
  }
  ++count_;
  last_ = bytes;
  last_at_ = at;
  peak_ = std::max(peak_, bytes);
  swings_.add(at, bytes);

  Block& block = block_of(at);
  if (block.count >= kFull) return;
  const auto value = static_cast<float>(bytes);
  block.low = block.count == 0 ? value : std::min(block.low, value);
  block.high = block.count == 0 ? value : std::max(block.high, value);
  block.sum += bytes;
  block.into += static_cast<float>(at / width_ - std::floor(at / width_));
  ++block.count;
}

void BlockSeries::learn_change(double change) {
  if (!(change > 0)) return;
  if (changes_ < kFull) ++changes_;
  smallest_change_ = smallest_change_ == 0 ? change : std::min(smallest_change_, change);
}

void BlockSeries::repeat(double since, std::span<const double> times) {
  if (count_ == 0 || last_at_ < since) return;
  for (const double at : times) add(at, last_);
}

BlockSeries::Block& BlockSeries::block_of(double at) {
  while (at / width_ >= static_cast<double>(kMostBlocks)) double_width();
  const auto index = static_cast<std::size_t>(at / width_);
  if (blocks_.empty()) skipped_ = index;
  const auto place = index - skipped_;
  if (blocks_.size() <= place) {
    make_room(place + 1);
    blocks_.resize(place + 1);
  }
  return blocks_[place];
}

// Never more than can come: of a tree there are hundreds of series.
void BlockSeries::make_room(std::size_t blocks) {
  constexpr std::size_t kFewest = 16;
  if (blocks <= blocks_.capacity()) return;
  const auto wanted = std::max({blocks, 2 * blocks_.capacity(), kFewest});
  blocks_.reserve(std::min(wanted, kMostBlocks - skipped_));
}

BlockSeries::Block BlockSeries::merged(const Block& early, const Block& late) {
  if (early.count == 0 && late.count == 0) return {};
  Block out = early.count == 0 ? late : early;
  if (early.count > 0 && late.count > 0) {
    out.low = std::min(early.low, late.low);
    out.high = std::max(early.high, late.high);
    out.sum = early.sum + late.sum;
  }
  out.into = (early.into + late.into + static_cast<float>(late.count)) / 2;
  out.count = std::min(early.count + late.count, kFull);
  return out;
}

void BlockSeries::double_width() {
  // Pairs begin at an even block of the recording; the first half of ours may have been skipped.
  const std::size_t odd = skipped_ % 2;
  const std::size_t half = (blocks_.size() + odd + 1) / 2;
  const auto block = [&](std::size_t i) {
    return i < odd || i - odd >= blocks_.size() ? Block{} : blocks_[i - odd];
  };
  for (std::size_t i = 0; i < half; ++i) blocks_[i] = merged(block(2 * i), block(2 * i + 1));
  blocks_.resize(half);
  skipped_ /= 2;
  width_ *= 2;
}

double BlockSeries::lowest_since(double at) const {
  double lowest = last_;
  const auto from = static_cast<std::size_t>(std::max(at, 0.0) / width_);
  for (std::size_t i = from > skipped_ ? from - skipped_ : 0; i < blocks_.size(); ++i) {
    if (blocks_[i].count > 0) lowest = std::min(lowest, static_cast<double>(blocks_[i].low));
  }
  return lowest;
}

double BlockSeries::low_at(double at) const {
  const auto from = static_cast<std::size_t>(std::max(at, 0.0) / width_);
  for (std::size_t i = from > skipped_ ? from - skipped_ : 0; i < blocks_.size(); ++i) {
    if (blocks_[i].count > 0) return static_cast<double>(blocks_[i].low);
  }
  return last_;
}

std::vector<Point> BlockSeries::points() const {
  std::vector<Point> out;
  out.reserve(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.count == 0) continue;
    const auto count = static_cast<double>(block.count);
    out.push_back(
        {.at =
             (static_cast<double>(skipped_ + i) + static_cast<double>(block.into) / count) * width_,
         .mean = block.sum / count,
         .low = static_cast<double>(block.low),
         .high = static_cast<double>(block.high),
         .count = block.count});
  }
  return out;
}

}  // namespace tidegauge::verdict
