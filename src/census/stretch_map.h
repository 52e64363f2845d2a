// SPDX-License-Identifier: Apache-2.0
// In which of many stretches of memory an address lies, without a search: asked for each word of a
// heap that may be a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidegauge::census {

using Address = std::uint64_t;

struct Stretch {
  Address begin = 0, end = 0;
  bool operator==(const Stretch&) const = default;
};

std::vector<Stretch> in_order(std::vector<Stretch> stretches);
// In order; those that touch or overlap are one.
std::vector<Stretch> joined(std::vector<Stretch> stretches);

class StretchMap {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  StretchMap() = default;
  // Put in order; what overlaps another is left out.
  explicit StretchMap(std::vector<Stretch> stretches);
  const std::vector<Stretch>& all() const { return stretches_; }

  std::uint32_t find(Address address) const {
    const auto top = address >> kTopShift;
    if (top >= tables_.size() || tables_[top] == kNone) return kNone;
    auto index = slots_[tables_[top] + ((address >> kSlotShift) & (kSlots - 1))];
    if (index == kNone) return kNone;
    while (address < stretches_[index].begin) {
      if (index == 0) return kNone;
      --index;
    }
    return address < stretches_[index].end ? index : kNone;
  }

 private:
  // A slot is as small as the smallest arenas are, so that hardly two begin in one; a table of
  // slots is for 16 GiB.
  static constexpr unsigned kSlotShift = 18;
  static constexpr unsigned kTopShift = 34;
  static constexpr std::size_t kSlots = std::size_t(1) << (kTopShift - kSlotShift);

  std::vector<Stretch> stretches_{};
  std::vector<std::uint32_t> tables_{};  // where each table of slots begins
  std::vector<std::uint32_t> slots_{};   // the last stretch that begins before the slot's end
};

}  // namespace tidegauge::census
