// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tidegauge::view {

// Dots of a braille chart: two by four to a cell.
class Dots {
 public:
  static constexpr int kAcross = 2;
  static constexpr int kDown = 4;

  Dots(int rows, int columns);

  int width() const { return columns_ * kAcross; }
  int height() const { return rows_ * kDown; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

  // x from the left, y from the bottom; outside does nothing.
  void set(int x, int y);
  void line(double x0, double y0, double x1, double y1, int every = 1);  // each `every`th dot
  std::uint8_t bits(int row, int column) const;                          // row from the top

 private:
  int rows_ = 0;
  int columns_ = 0;
  std::vector<std::uint8_t> bits_{};
};

char32_t braille(std::uint8_t bits);
int dots_in(std::uint8_t bits);

}  // namespace tidegauge::view
