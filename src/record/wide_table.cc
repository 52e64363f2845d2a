// SPDX-License-Identifier: Apache-2.0
#include "record/wide_table.h"

#include <fmt/format.h>

#include <iterator>

namespace tidegauge::record {

namespace {

// Letters of a time and of a value, as they are mostly written.
constexpr std::size_t kUsualTime = 18;
constexpr std::size_t kUsualValue = 10;

void append_quoted(std::string& out, std::string_view title) {
  out += '"';
  for (const char c : title) {
    if (c == '"') out += '"';
    // A title is one line.
    out += c == '\n' || c == '\r' || c == '\0' ? ' ' : c;
  }
  out += '"';
}

}  // namespace

bool WideTable::add(double at, const std::string& column, double value) {
  if (values_ == kMostValues) return false;
  auto known = columns_.find(column);
  if (known == columns_.end()) {
    if (titles_.size() == kMostColumns) return false;
    known = columns_.emplace(column, titles_.size()).first;
    titles_.push_back(column);
  }
  rows_[at][known->second] = value;
  ++values_;
  return rows_.size() * titles_.size() <= kMostCells;
}

std::string WideTable::csv() const {
  std::string out = clock_;
  out.reserve(rows_.size() * (titles_.size() + kUsualTime) + values_ * kUsualValue);
  for (const auto& title : titles_) {
    out += ',';
    append_quoted(out, title);
  }
  for (const auto& [at, values] : rows_) {
    fmt::format_to(std::back_inserter(out), "\n{}", at);
    std::size_t next = 0;
    for (const auto& [column, value] : values) {
      for (; next <= column; ++next) out += ',';
      fmt::format_to(std::back_inserter(out), "{}", value);
    }
    for (; next < titles_.size(); ++next) out += ',';
  }
  return out + '\n';
}

}  // namespace tidegauge::record
