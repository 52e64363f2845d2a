// SPDX-License-Identifier: Apache-2.0
#include "view/table.h"

#include <algorithm>

#include "view/width.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kBetween = 2;    // blanks
constexpr std::size_t kNarrowest = 9;  // of the column that shrinks

}  // namespace

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = columns_of(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, columns_of(row[i]));
    out.push_back(widest);
  }
  return out;
}

std::vector<std::string> Table::lines(std::size_t columns) const {
  auto wide = widths();
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const bool used =
        std::any_of(rows_.begin(), rows_.end(), [i](const auto& row) { return !row[i].empty(); });
    if (used || rows_.empty()) shown.push_back(i);
  }
  const auto total = [&] {
    std::size_t sum = shown.empty() ? 0 : kBetween * (shown.size() - 1);
    for (const auto i : shown) sum += wide[i];
    return sum;
  };
  // First the elastic column gives way down to a width that still tells names apart, then columns
  // go, then it takes what is left.
  const auto elastic = static_cast<std::size_t>(
      std::find_if(columns_.begin(), columns_.end(), [](const auto& c) { return c.shrinks; }) -
      columns_.begin());
  const auto shrink = [&](std::size_t least) {
    if (elastic == columns_.size() || total() <= columns) return;
    const auto excess = total() - columns;
    wide[elastic] =
        std::max(std::min(least, wide[elastic]), wide[elastic] - std::min(wide[elastic], excess));
  };
  shrink(2 * kNarrowest);
  while (total() > columns && shown.size() > 1) {
    shown.erase(std::min_element(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
      return columns_[a].importance < columns_[b].importance;
    }));
  }
  shrink(1);
  std::vector<std::string> out;
  const auto emit = [&](const auto& cell_of) {
    std::string line;
    for (const auto i : shown) {
      if (!line.empty()) line.append(kBetween, ' ');
      line +=
          columns_[i].right ? padded_left(cell_of(i), wide[i]) : padded_right(cell_of(i), wide[i]);
    }
    line = clipped(line, columns);
    line.erase(line.find_last_not_of(' ') + 1);
    out.push_back(std::move(line));
  };
  emit([this](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_)
    emit([&row](std::size_t i) -> const std::string& { return row[i]; });
  return out;
}

}  // namespace tidegauge::view
