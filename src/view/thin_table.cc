// SPDX-License-Identifier: Apache-2.0
#include "view/thin_table.h"

#include <cmath>

namespace tidegauge::view {

namespace {

using Cell = ThinTable::Cell;

// fmin and fmax pass over what is unknown.
void widen(Cell& cell, const Cell& other) {
  cell.low = std::fmin(cell.low, other.low);
  cell.high = std::fmax(cell.high, other.high);
}

bool higher(float value, float than) {
  return !std::isnan(value) && !(value <= than);  // anything is higher than what is unknown
}

}  // namespace

void ThinTable::begin_row(double at) {
  if (rows_.size() == most_rows_) merge_neighbours();
  rows_.push_back({.from = at, .to = at});
  for (auto& column : columns_) column.emplace_back();
  in_row_ = 0;
}

void ThinTable::merge_neighbours() {
  const std::size_t half = (rows_.size() + 1) / 2;
  const auto has_second = [this](std::size_t i) { return 2 * i + 1 < rows_.size(); };
  for (std::size_t i = 0; i < half; ++i) {
    // The first series says which of the two had the peak, for all of them.
    const bool second_peaks = has_second(i) && !columns_.empty() &&
                              higher(columns_[0][2 * i + 1].at_peak, columns_[0][2 * i].at_peak);
    for (auto& column : columns_) {
      Cell merged = column[2 * i];
      if (has_second(i)) widen(merged, column[2 * i + 1]);
      if (second_peaks) merged.at_peak = column[2 * i + 1].at_peak;
      column[i] = merged;
    }
  }
  for (std::size_t i = 0; i < half; ++i) {
    auto row = rows_[2 * i];
    if (has_second(i)) {
      row.to = rows_[2 * i + 1].to;
      row.step = std::fmax(row.step, rows_[2 * i + 1].step);
    }
    rows_[i] = row;
  }
  rows_.resize(half);
  for (auto& column : columns_) column.resize(half);
  samples_per_row_ *= 2;
}

void ThinTable::add(double at, std::optional<double> step, std::span<const float> values) {
  while (columns_.size() < values.size()) columns_.emplace_back(rows_.size());
  if (rows_.empty() || in_row_ >= samples_per_row_) begin_row(at);
  ++in_row_;
  rows_.back().to = at;
  if (step) rows_.back().step = static_cast<float>(*step);
  const bool peaks = !values.empty() && higher(values[0], columns_[0].back().at_peak);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const float value = i < values.size() ? values[i] : kUnknown;
    auto& cell = columns_[i].back();
    widen(cell, {value, value, value});
    if (peaks || in_row_ == 1) cell.at_peak = value;
  }
}

}  // namespace tidegauge::view
