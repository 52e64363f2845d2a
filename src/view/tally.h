// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidegauge::view {

// Memory that is given back, more than this at once, within so many samples before the end is the
// end: an interpreter takes its objects apart.
inline constexpr double kFellAtTheEnd = 0.9;
inline constexpr std::size_t kLastMoments = 4;

// Minimum, maximum, average, floor and growth of one series, in 200 bytes however long it gets.
class Tally {
 public:
  void add(double bytes);
  void repeat(std::uint64_t times);  // the last one, so many times more
  // Whose memory it was has gone: a fall just before that is its end, and not what stayed. What is
  // added later begins anew.
  void end() { ended_ = true; }

  std::uint64_t count() const { return count_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double first() const { return first_; }
  double last() const { return last_; }
  double average() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  // What stays: the least of late, so that it follows growth and passes over a spike. Of late is an
  // eighth of a short run, at least four samples, and a twentieth of a long one.
  double floor() const;
  // Floor less what it began with (the least of the first sixteenth).
  double growth() const { return floor() - static_cast<double>(lows_[0]); }
  // True if it hardly moved: overhead, not growth.
  bool constant() const;

 private:
  static constexpr std::size_t kBlocks = 16;

  struct Before {  // how it stood before a sample was added
    double floor = 0;
    double last = 0;
  };

  double floor_of_late() const;

  // The least of stretches of `block_length_` samples; when they run out, pairs are merged.
  std::array<float, kBlocks> lows_{};
  std::size_t used_ = 0;
  std::uint64_t block_length_ = 1;
  std::uint64_t in_block_ = 0;
  std::uint64_t count_ = 0;
  double sum_ = 0;
  double min_ = 0;
  double max_ = 0;
  double first_ = 0;
  double last_ = 0;
  std::array<Before, kLastMoments> before_{};  // of the last samples, by their number
  bool ended_ = false;
};

}  // namespace tidegauge::view
