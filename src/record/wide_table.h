// SPDX-License-Identifier: Apache-2.0
// A table that is filled value by value, in any order, and becomes the CSV that parse_csv() reads:
// the way of other formats into a recording.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::record {

class WideTable {
 public:
  // `clock`: title of the first column, "time" or "step".
  explicit WideTable(std::string clock) : clock_(std::move(clock)) {}

  // Of values with the same place and column the last one counts. False: more than a table may
  // hold.
  bool add(double at, const std::string& column, double value);
  bool empty() const { return rows_.empty(); }
  std::string csv() const;

 private:
  static constexpr std::size_t kMostColumns = 1'000;
  static constexpr std::size_t kMostValues = 20'000'000;
  static constexpr std::size_t kMostCells = 50'000'000;  // the empty ones too

  std::string clock_;
  std::vector<std::string> titles_{};
  std::map<std::string, std::size_t> columns_{};
  std::map<double, std::map<std::size_t, double>> rows_{};
  std::size_t values_ = 0;
};

}  // namespace tidegauge::record
