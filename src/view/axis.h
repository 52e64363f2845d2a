// SPDX-License-Identifier: Apache-2.0
// Where the ticks of a chart stand and what they say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/history.h"

namespace tidegauge::view {

// The horizontal axis: seconds, or steps. What lies after `now` is a forecast.
class XAxis {
 public:
  // [from, to] in seconds, `now` between them. Over steps only where the job told some.
  XAxis(const History& history, double from, double to, double now, bool by_step);

  bool by_step() const { return by_step_; }
  double begin() const { return begin_; }  // in the axis's own unit
  double end() const { return end_; }
  double now() const { return now_; }
  // The place of a moment on the axis, 0 at its begin, 1 at its end.
  double place_of(double seconds) const;
  // In the axis's own unit, extrapolated after now.
  double value_of(double seconds) const;
  // How much time a step takes, as of late; nothing where no steps are known.
  std::optional<double> seconds_per_step() const { return seconds_per_step_; }

 private:
  const History& history_;
  double now_seconds_ = 0;
  std::optional<double> seconds_per_step_{};
  bool by_step_ = false;
  double begin_ = 0;
  double end_ = 1;
  double now_ = 0;
};

struct Tick {
  double place = 0;  // 0..1
  std::string label{};
  std::string second{};  // of the line below
};

// At most one tick each `spacing` of `columns`.
std::vector<Tick> x_ticks(const XAxis& axis, const History& history, bool counts_steps, int columns,
                          int spacing);

// Of an axis that belongs to no single run, of steps or of seconds: at most `most` ticks.
std::vector<Tick> plain_ticks(double from, double to, bool steps, int most);

// Powers of two, so that GiB are round numbers; at most `most` of them above 0.
std::vector<Tick> y_ticks(double top_bytes, int most);

std::string clock_label(double seconds);  // "3:13", "2h05", "3d04h"
std::string bytes_label(double bytes);    // "16G", "512M", "1.5G"

}  // namespace tidegauge::view
