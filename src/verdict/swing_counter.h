// SPDX-License-Identifier: Apache-2.0
// Counts rises and falls of single samples as they come, because blocks of a long run hide the
// teeth of a garbage collector: whether memory climbs slowly and falls at once is seen only here.
#pragma once

#include <cstdint>

namespace tidegauge::verdict {

class SwingCounter {
 public:
  void add(double at, double bytes);

  std::uint32_t rises() const { return rises_; }
  std::uint32_t falls() const { return falls_; }
  double mean_rise_time() const { return rises_ == 0 ? 0 : rise_time_ / rises_; }
  double mean_fall_time() const { return falls_ == 0 ? 0 : fall_time_ / falls_; }
  double time_rising() const { return rise_time_; }

 private:
  enum class Direction { Unknown, Up, Down };
  struct Extreme {
    double at = 0;
    double bytes = 0;
  };
  void learn_size_of_changes(double bytes);
  void follow(Extreme now);

  std::uint64_t count_ = 0;
  double previous_ = 0;
  double typical_change_ = 0;  // running median of |change|
  double threshold_ = 0;
  Direction direction_ = Direction::Unknown;
  Extreme low_{};
  Extreme high_{};
  Extreme turned_{};  // where the running swing began
  std::uint32_t rises_ = 0;
  std::uint32_t falls_ = 0;
  double rise_time_ = 0;
  double fall_time_ = 0;
};

}  // namespace tidegauge::verdict
