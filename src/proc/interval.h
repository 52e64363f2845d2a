// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tidegauge::proc {

// How long to wait between two looks: what was asked for, or longer where looking costs so much
// that it would take more than its share of a core.
class Interval {
 public:
  explicit Interval(double asked_seconds) : asked_seconds_(asked_seconds) {}

  void add_look(double cpu_seconds);
  double seconds() const;
  double asked_seconds() const { return asked_seconds_; }
  double look_seconds() const { return look_seconds_; }  // CPU time of a look, by the last ones
  bool is_stretched() const;                             // noticeably longer than asked for

 private:
  double asked_seconds_;
  double look_seconds_ = 0;
};

}  // namespace tidegauge::proc
