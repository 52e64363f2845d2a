// SPDX-License-Identifier: Apache-2.0
// Several series over the same moments, in a bounded number of rows however long it gets: when the
// rows run out, neighbours are merged. Of each row every series keeps its least, its greatest, and
// what it was when the first series was at its greatest, so that series that add up to the first
// still do so in every row.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tidegauge::view {

class ThinTable {
 public:
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

  struct Cell {
    float low = kUnknown;
    float high = kUnknown;
    float at_peak = kUnknown;
  };
  struct Row {
    double from = 0;  // of its first sample
    double to = 0;    // of its last
    float step = kUnknown;
  };

  explicit ThinTable(std::size_t most_rows) : most_rows_(most_rows) {}

  // One sample: a value per column, kUnknown where there is none. Columns may be added as they come
  // up; those before were unknown. Times must not run backwards.
  void add(double at, std::optional<double> step, std::span<const float> values);

  const std::vector<Row>& rows() const { return rows_; }
  std::size_t columns() const { return columns_.size(); }
  // Of column `column`, as many as there are rows.
  std::span<const Cell> cells(std::size_t column) const { return columns_[column]; }

 private:
  void begin_row(double at);
  void merge_neighbours();

  std::size_t most_rows_;
  std::size_t samples_per_row_ = 1;
  std::size_t in_row_ = 0;
  std::vector<Row> rows_{};
  std::vector<std::vector<Cell>> columns_{};
};

}  // namespace tidegauge::view
