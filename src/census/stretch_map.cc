// SPDX-License-Identifier: Apache-2.0
#include "census/stretch_map.h"

#include <algorithm>
#include <utility>

namespace tidegauge::census {

std::vector<Stretch> in_order(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  return stretches;
}

std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::vector<Stretch> all;
  for (const auto& stretch : in_order(std::move(stretches))) {
    if (!all.empty() && stretch.begin <= all.back().end) {
      all.back().end = std::max(all.back().end, stretch.end);
    } else {
      all.push_back(stretch);
    }
  }
  return all;
}

StretchMap::StretchMap(std::vector<Stretch> stretches) {
  constexpr Address kHighest = 1ULL << 47;  // of a program's memory
  for (const auto& stretch : in_order(std::move(stretches))) {
    if (stretch.begin >= stretch.end || stretch.end > kHighest) continue;
    if (stretches_.empty() || stretch.begin >= stretches_.back().end) stretches_.push_back(stretch);
  }
  if (stretches_.empty()) return;
  tables_.assign(((stretches_.back().end - 1) >> kTopShift) + 1, kNone);
  for (std::uint32_t index = 0; index < stretches_.size(); ++index) {
    const auto last = (stretches_[index].end - 1) >> kSlotShift;
    for (auto slot = stretches_[index].begin >> kSlotShift; slot <= last; ++slot) {
      auto& table = tables_[slot / kSlots];
      if (table == kNone) {
        table = static_cast<std::uint32_t>(slots_.size());
        slots_.resize(slots_.size() + kSlots, kNone);
      }
      slots_[table + slot % kSlots] = index;
    }
  }
}

}  // namespace tidegauge::census
