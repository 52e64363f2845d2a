// SPDX-License-Identifier: Apache-2.0
// A terminal frame as data: cells of one character each, with a meaning instead of a colour.
// Whoever shows it decides what a meaning looks like; tests compare its text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::view {

enum class Style {
  Plain,
  Dim,      // labels, axes, rules
  Strong,   // what to read first
  TagGood,  // the verdict's tag
  TagWait,
  TagBad,
  Good,
  Wait,
  Bad,
  Floor,      // edge of what stays
  FloorBody,  // below its edge
  Spike,      // above it: comes and goes
  Phase,      // evaluation, saving
  Limit,
  Forecast,  // if it goes on
  Bounded,   // if it ends
  Keys,      // the line of keys
};

struct Cell {
  char32_t glyph = U' ';
  Style style = Style::Plain;
  bool tail = false;  // right half of a wide character: nothing is drawn here

  bool operator==(const Cell&) const = default;
};

struct Size {
  int columns = 80;
  int rows = 24;

  bool operator==(const Size&) const = default;
};

struct Rect {
  int row = 0;
  int column = 0;
  int rows = 0;
  int columns = 0;
};

// Writing outside is allowed and does nothing: a frame never exceeds its size.
class Grid {
 public:
  explicit Grid(Size size);

  Size size() const { return size_; }
  const Cell& at(int row, int column) const;  // within the size
  // The cell, to be changed, or null outside.
  Cell* cell(int row, int column);

  // Writes `text` on one line from `column` on, at most `most` columns (what is cut ends in an
  // ellipsis); returns the column after it.
  int put(int row, int column, std::string_view text, Style style, int most);
  int put(int row, int column, std::string_view text, Style style = Style::Plain);
  // So that it ends before `end`.
  void put_right(int row, int end, std::string_view text, Style style);
  void fill(const Rect& rect, char32_t glyph, Style style);

  // Lines without their trailing blanks, each with a newline.
  std::string text() const;

  // What ASCII cannot say is replaced, cell by cell.
  void reduce_to_ascii();

 private:
  bool inside(int row, int column) const;

  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace tidegauge::view
