// SPDX-License-Identifier: Apache-2.0
// One series in bounded memory, however long it gets: time-aligned blocks that are merged in pairs
// when they run out. Never resampled and never interpolated: an empty block is a gap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verdict/swing_counter.h"

namespace tidegauge::verdict {

// What is left of the samples of one stretch of time. Times are seconds (or steps, where a
// recording counts only those) since the recording's first sample.
struct Point {
  double at = 0;  // mean time of the samples
  double mean = 0;
  double low = 0;
  double high = 0;
  std::uint32_t count = 0;  // of samples
};

class BlockSeries {
 public:
  // Enough that a spike of 1 % of the run has blocks of its own; 12 KB for a series that was there
  // from the start, and less for one that came later, by the share of the run that it saw.
  static constexpr std::size_t kMostBlocks = 512;

  // Times must not run backwards; one that does is taken as the latest seen.
  void add(double at, double bytes);

  // The same bytes again at each of `times`, where the last ones came at
  // `since` and not before.
  void repeat(double since, std::span<const double> times);

  std::vector<Point> points() const;  // of the blocks that are not empty
  double block_width() const { return width_; }
  double first() const { return first_; }
  double last() const { return last_; }
  double peak() const { return peak_; }
  double lowest_since(double at) const;  // of the block of that time and all later ones
  double low_at(double at) const;        // of the first block since then that is not empty
  double last_at() const { return last_at_; }
  std::uint64_t count() const { return count_; }
  std::size_t room() const { return blocks_.capacity(); }      // blocks that there is memory for
  double smallest_change() const { return smallest_change_; }  // 0: none yet
  // What the values may be rounded to: nothing smaller was seen. 0: not known, since there were too
  // few changes; one jump is no rounding.
  double quantum() const { return changes_ < kFewestChanges ? 0 : smallest_change_; }
  const SwingCounter& swings() const { return swings_; }

 private:
  struct Block {
    double sum = 0;
    float low = 0;
    float high = 0;
    float into = 0;  // sum of the samples' distances from the block's begin, in widths
    std::uint32_t count = 0;
  };
  void learn_change(double change);
  Block& block_of(double at);
  void make_room(std::size_t blocks);
  void double_width();
  static Block merged(const Block& early, const Block& late);

  static constexpr std::uint32_t kFewestChanges = 5;

  std::size_t skipped_ = 0;  // blocks from the recording's begin to the first sample
  std::vector<Block> blocks_{};
  // Widths are a power of two of this, whatever the sampling rate, so that the blocks of all series
  // of a recording line up. Narrower ones would only be empty.
  static constexpr double kNarrowest = 1e-3;

  double width_ = kNarrowest;
  double first_ = 0;
  double last_ = 0;
  double peak_ = 0;
  double last_at_ = 0;
  double smallest_change_ = 0;
  std::uint32_t changes_ = 0;
  std::uint64_t count_ = 0;
  SwingCounter swings_{};
};

}  // namespace tidegauge::verdict
