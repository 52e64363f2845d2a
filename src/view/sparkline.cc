// SPDX-License-Identifier: Apache-2.0
#include "view/sparkline.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tidegauge::view {

std::string sparkline(const History& history, std::size_t columns, bool unicode) {
  if (history.empty() || columns == 0) return "";
  const double span = history.last_at() - history.first_at() + history.narrowest();
  // No more columns than samples, or a short run would look like stairs.
  const auto most = static_cast<std::size_t>(std::max(1.0, span / history.narrowest()));
  const auto series =
      history.by_time(history.first_at(), history.first_at() + span, std::min(columns, most));
  double highest = 0;
  for (const auto& column : series) highest = std::max(highest, column.high);
  if (!(highest > 0)) return "";
  constexpr const char* kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::string_view kAscii = "_.-:=+*#";
  std::string out;
  for (const auto& column : series) {
    if (!column.known) {
      out += ' ';
      continue;
    }
    const auto level =
        static_cast<std::size_t>(std::clamp(std::floor(column.high / highest * 8), 0.0, 7.0));
    if (unicode) {
      out += kBlocks[level];
    } else {
      out += kAscii[level];
    }
  }
  return out;
}

}  // namespace tidegauge::view
