// SPDX-License-Identifier: Apache-2.0
#include "cli/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tidegauge::cli {

namespace {

constexpr std::size_t kFarthest = 2;      // edits
constexpr std::size_t kLongestWord = 64;  // a word longer than that is no typing error

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto above = row[j + 1];
      const auto change = diagonal + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({above + 1, row[j] + 1, change});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = kFarthest + 1;
  for (const auto candidate : candidates) {
    const auto distance = edit_distance(word, candidate);
    // "x" is two edits from "run", and means nothing.
    if (distance >= best_distance || distance * 2 > candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace tidegauge::cli
