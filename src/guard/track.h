// SPDX-License-Identifier: Apache-2.0
// How a job's memory has moved so far, in fixed space: what tells a rising floor from spikes while
// there is no time, and maybe no memory, for a verdict. The whole life is kept, ever coarser.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidegauge::guard {

struct Shape {
  double floor = 0;             // retained now, spikes taken off
  double top = 0;               // the highest ever, but for the stretch that is under way
  double spike = 0;             // largest top above the floor of its time, lately
  double lately = 0;            // the highest of what `seen_seconds` counts
  double jump = 0;              // largest rise within a moment, lately
  double bytes_per_second = 0;  // of the floor; 0 where it does not rise
  double seen_seconds = 0;      // what that was told from
  // The floor rose in each part of what was seen, and lately as fast as ever: no warm-up that ends.
  bool rising = false;
};

class Track {
 public:
  // `used` at a moment, in order. Allocates nothing.
  void add(std::int64_t at_ns, double used);
  Shape shape() const;

 private:
  struct Stretch {
    double low = 0;
    double high = 0;
    double jump = 0;
  };
  static constexpr std::size_t kStretches = 64;
  // Two batches of a fast job; longer ones come by themselves.
  static constexpr std::int64_t kFirstWidthNs = 100'000'000;

  void begin_stretch(double used);
  void halve();
  void add_jump(std::int64_t at_ns, double used);
  double lowest(std::size_t from, std::size_t to) const;
  double largest_spike(std::size_t from, std::size_t to) const;

  std::array<Stretch, kStretches> stretches_{};
  std::size_t count_ = 0;  // the last one is under way
  std::int64_t width_ns_ = kFirstWidthNs;
  std::int64_t until_ns_ = 0;  // of the last one
  double last_ = 0;
  double foot_ = 0;  // where the rise that is under way began, and when
  std::int64_t foot_ns_ = 0;
};

}  // namespace tidegauge::guard
