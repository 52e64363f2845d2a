// SPDX-License-Identifier: Apache-2.0
#include "proc/address_ranges.h"

#include <algorithm>

namespace tidegauge::proc {

namespace {

constexpr std::uint64_t kNowhere = ~0ull;

// Goes along ranges in order.
class Cursor {
 public:
  explicit Cursor(std::span<const AddressRange> ranges) : rest_(ranges) {}

  bool at_end() const { return rest_.empty(); }
  // The one that has `address`, or none.
  const AddressRange* over(std::uint64_t address) const {
    return !at_end() && rest_.front().extent.begin <= address ? &rest_.front() : nullptr;
  }
  // Where, after `address`, something begins or ends.
  std::uint64_t next_change(std::uint64_t address) const {
    if (at_end()) return kNowhere;
    const auto& extent = rest_.front().extent;
    return address < extent.begin ? extent.begin : extent.end;
  }
  void pass(std::uint64_t address) {
    if (!at_end() && rest_.front().extent.end <= address) rest_ = rest_.subspan(1);
  }

 private:
  std::span<const AddressRange> rest_;
};

}  // namespace

AddressRanges join(std::span<const AddressRange> first, std::span<const AddressRange> second) {
  AddressRanges joined;
  Cursor one(first), other(second);
  for (std::uint64_t at = 0; !one.at_end() || !other.at_end();) {
    const auto end = std::min(one.next_change(at), other.next_change(at));
    const auto *here = one.over(at), *there = other.over(at);
    if (here != nullptr || there != nullptr) {
      joined.push_back({.extent = {at, end},
                        .backing = here != nullptr ? here->backing : there->backing,
                        .members = (here != nullptr ? here->members : 0) |
                                   (there != nullptr ? there->members : 0)});
    }
    at = end;
    one.pass(at);
    other.pass(at);
  }
  return joined;
}

}  // namespace tidegauge::proc
