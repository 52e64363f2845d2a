// SPDX-License-Identifier: Apache-2.0
// A series for a chart, in bounded memory however long it gets: the last minutes in full, the last
// days in coarse blocks. Minima and maxima survive, so that no spike vanishes by zooming out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tidegauge::view {

// What a chart shows in one column.
struct Column {
  double low = 0;
  double high = 0;
  double last = 0;
  double floor = 0;       // what stays: filled in by mark_floor()
  bool known = false;     // false: no samples
  bool in_phase = false;  // the job was evaluating, saving…: filled in by whoever knows
};

class History {
 public:
  // `narrowest`: the time between samples, in seconds (or steps, where only those are known).
  explicit History(double narrowest = 1);

  // Times must not run backwards; one that does is taken as the latest seen.
  void add(double at, double bytes, std::optional<double> step);

  bool empty() const { return samples_ == 0; }
  double first_at() const { return first_at_; }
  double last_at() const { return last_at_; }
  double narrowest() const { return narrowest_; }

  // `count` equal stretches of [from, to]. A stretch without samples is filled from the one before
  // unless samples were missing there for longer than usual: then it is not known.
  std::vector<Column> by_time(double from, double to, std::size_t count) const;
  // The same over steps.
  std::vector<Column> by_step(double from, double to, std::size_t count) const;

  std::optional<double> step_at(double at) const;    // the last step that had ended then
  std::optional<double> time_of(double step) const;  // when it ended

 private:
  struct Block {
    std::int64_t index = -1;  // time / width; -1: never written
    float low = 0;
    float high = 0;
    float last = 0;
    float step = std::numeric_limits<float>::quiet_NaN();  // at its end
  };
  // A ring, as long as there are blocks to keep. With 1 s blocks it covers 17 minutes, the next
  // level four times as much, and so on: the eighth covers half a year, in 200 KB together.
  static constexpr std::size_t kBlocks = 1024;
  static constexpr std::size_t kLevels = 8;
  static constexpr double kFactor = 4;

  struct Level {
    double width = 1;
    std::vector<Block> ring{};
    std::int64_t newest = -1;
    void add(double at, float bytes, float step);
    const Block* find(std::int64_t index) const;
    static std::size_t place_of(std::int64_t index) {
      return static_cast<std::size_t>(index) % kBlocks;
    }
    std::int64_t oldest() const;
  };
  // The finest level that still has `from` and needs no more than a ring for [from, to].
  const Level& level_for(double from, double to) const;
  // Longer than this without a sample is a gap.
  double longest_silence(const Level& level) const;
  template <class Take>
  void each_block(const Level& level, double from, double to, Take take) const;

  double narrowest_ = 1;
  double first_at_ = 0;
  double last_at_ = 0;
  double usual_gap_ = 0;
  std::uint64_t samples_ = 0;
  std::array<Level, kLevels> levels_{};
};

// Fills in `floor`: at each column the least of it and of those that follow within `reach` columns,
// so that what is given back soon does not count. What a phase takes is expected to be given back:
// within one, and while one goes on, the floor is no higher than before and after it.
void mark_floor(std::span<Column> columns, std::size_t reach);

}  // namespace tidegauge::view
