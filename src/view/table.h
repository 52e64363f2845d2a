// SPDX-License-Identifier: Apache-2.0
// A table of text that gives up its least important columns where there is no room, and the empty
// ones always.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tidegauge::view {

struct TableColumn {
  std::string title;
  bool right = false;  // numbers
  int importance = 0;  // the lowest goes first
  // The one that shrinks when all others are gone or important.
  bool shrinks = false;
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);
  // As many cells as columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // The title line first; no line is wider than `columns`, none ends in blanks.
  std::vector<std::string> lines(std::size_t columns) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tidegauge::view
