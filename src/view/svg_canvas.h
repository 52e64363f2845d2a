// SPDX-License-Identifier: Apache-2.0
// The paper that pictures beside Markdown are drawn on: its size, its style, places, lines and
// text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/axis.h"

namespace tidegauge::view {

class SvgCanvas {
 public:
  static constexpr double kWidth = 900;
  static constexpr double kHeight = 320;
  static constexpr double kLeft = 62;
  static constexpr double kRight = 30;
  static constexpr double kTop = 26;
  static constexpr double kBottom = 34;
  static constexpr double kHeadroom = 1.14;
  static constexpr std::size_t kMostPoints = 900;  // one for each pixel
  static constexpr int kTicks = 9;

  // What lies between `from` and `to` along the axis, and between 0 and `top` bytes.
  SvgCanvas(std::string_view label, double from, double to, double top);

  double x(double at) const;
  double y(double bytes) const;
  void text(double at_x, double at_y, const char* kind, const char* anchor, std::string_view what);
  void line(double x0, double y0, double x1, double y1, const char* kind);
  void ring(double at_x, double at_y, const char* kind);
  void add(std::string_view markup) { out_ += markup; }
  void draw_axes(const std::vector<Tick>& along);

  std::string taken() { return std::move(out_) + "</svg>\n"; }

 private:
  double from_ = 0;
  double to_ = 1;
  double top_ = 1;
  std::string out_{};
};

}  // namespace tidegauge::view
