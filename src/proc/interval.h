// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace tidegauge::proc {

// How long to wait between two looks: what was asked for, or longer where looking costs so much
// that it would take more than its share of a core.
class Interval {
 public:
  explicit Interval(double asked_seconds) : asked_seconds_(asked_seconds) {}

  void add_look(double cpu_seconds);
  void add_to_look(double cpu_seconds);  // to the last one
  double seconds() const;
  double asked_seconds() const { return asked_seconds_; }
  // CPU time of a look: the middle one of the last five, since one that had to get to know many new
  // processes costs several times an ordinary one. 0 before there are as many.
  double look_seconds() const;
  bool is_stretched() const;  // noticeably longer than asked for

 private:
  double asked_seconds_;
  std::array<double, 5> last_{};
  std::size_t looks_ = 0;
};

}  // namespace tidegauge::proc
