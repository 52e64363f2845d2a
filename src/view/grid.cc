// SPDX-License-Identifier: Apache-2.0
#include "view/grid.h"

#include <algorithm>

#include "view/ink.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

constexpr int kLargest = 4096;  // no terminal is; a wrong size must not eat our memory
constexpr char32_t kNoBreakSpace = 0xA0;

Size clamped(Size size) {
  return {std::clamp(size.columns, 0, kLargest), std::clamp(size.rows, 0, kLargest)};
}

}  // namespace

Grid::Grid(Size size)
    : size_(clamped(size)),
      cells_(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows)) {}

bool Grid::inside(int row, int column) const {
  return row >= 0 && column >= 0 && row < size_.rows && column < size_.columns;
}

const Cell& Grid::at(int row, int column) const {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                static_cast<std::size_t>(column)];
}

Cell* Grid::cell(int row, int column) {
  if (!inside(row, column)) return nullptr;
  return &cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                 static_cast<std::size_t>(column)];
}

int Grid::put(int row, int column, std::string_view text, Style style, int most) {
  most = std::min(most, size_.columns - column);
  if (most <= 0) return column;
  for (const auto& glyph : glyphs(clipped(text, static_cast<std::size_t>(most)))) {
    if (auto* target = cell(row, column)) {
      *target = {glyph.code == kNoBreakSpace ? U' ' : glyph.code, style};
    }
    if (auto* tail = glyph.columns == 2 ? cell(row, column + 1) : nullptr) {
      *tail = {U' ', style, true};
    }
    column += glyph.columns;
  }
  return column;
}

int Grid::put(int row, int column, std::string_view text, Style style) {
  return put(row, column, text, style, size_.columns - column);
}

void Grid::put_right(int row, int end, std::string_view text, Style style) {
  put(row, std::max(0, end - static_cast<int>(columns_of(text))), text, style, end);
}

void Grid::fill(const Rect& rect, char32_t glyph, Style style) {
  for (int row = rect.row; row < rect.row + rect.rows; ++row) {
    for (int column = rect.column; column < rect.column + rect.columns; ++column) {
      if (auto* target = cell(row, column)) *target = {glyph, style};
    }
  }
}

std::string Grid::text() const {
  std::string out;
  for (int row = 0; row < size_.rows; ++row) {
    std::string line;
    for (int column = 0; column < size_.columns; ++column) {
      if (!at(row, column).tail) append_utf8(line, at(row, column).glyph);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

void Grid::reduce_to_ascii() {
  for (auto& cell : cells_) cell.glyph = cell.tail ? U'?' : ascii_for(cell.glyph);
  for (auto& cell : cells_) cell.tail = false;
}

}  // namespace tidegauge::view
