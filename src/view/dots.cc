// SPDX-License-Identifier: Apache-2.0
#include "view/dots.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tidegauge::view {

Dots::Dots(int rows, int columns)
    : rows_(std::max(rows, 0)),
      columns_(std::max(columns, 0)),
      bits_(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_)) {}

void Dots::set(int x, int y) {
  if (x < 0 || y < 0 || x >= width() || y >= height()) return;
  // The bits of U+2800: the upper three rows column by column, then the lowest row.
  constexpr std::uint8_t kBits[kDown][kAcross] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const int from_top = height() - 1 - y;
  auto& cell =
      bits_[static_cast<std::size_t>(from_top / kDown) * static_cast<std::size_t>(columns_) +
            static_cast<std::size_t>(x / kAcross)];
  cell = static_cast<std::uint8_t>(cell | kBits[from_top % kDown][x % kAcross]);
}

void Dots::line(double x0, double y0, double x1, double y1, int every) {
  if (!std::isfinite(x0 + y0 + x1 + y1) || !(x1 > x0)) return;
  const int first = static_cast<int>(std::clamp(std::ceil(x0), 0.0, double(width())));
  const int last = static_cast<int>(std::clamp(std::floor(x1), -1.0, double(width() - 1)));
  const auto height_at = [&](double x) { return y0 + (y1 - y0) * (x - x0) / (x1 - x0); };
  for (int x = first; x <= last; ++x) {
    if (every > 1 && x % every != 0) continue;
    const double y = height_at(x);
    const double next = every > 1 ? y : height_at(std::min(x + 1.0, x1));
    const int low = static_cast<int>(std::clamp(std::min(y, next), -1.0, double(height())));
    const int high = static_cast<int>(std::clamp(std::max(y, next), -1.0, double(height())));
    // A steep line stays a line: all dots up to the next column's.
    for (int dot = low; dot <= std::max(low, high - 1); ++dot) set(x, dot);
  }
}

std::uint8_t Dots::bits(int row, int column) const {
  return bits_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
               static_cast<std::size_t>(column)];
}

char32_t braille(std::uint8_t bits) {
  return static_cast<char32_t>(0x2800 + bits);
}

int dots_in(std::uint8_t bits) {
  return std::popcount(bits);
}

}  // namespace tidegauge::view
