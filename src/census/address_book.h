// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "census/memory.h"

namespace tidegauge::census {

// Addresses that were met, each once, numbered in order of meeting.
class AddressBook {
 public:
  struct Entry {
    Address address = 0;
    bool certain = false;  // somebody knows that an object is there
  };

  std::uint32_t number_of(Address address, bool certain) {
    if ((entries_.size() + 1) * 2 > slots_.size()) grow();
    auto slot = place_of(address);
    while (slots_[slot] != kFree && entries_[slots_[slot]].address != address) {
      slot = (slot + 1) % slots_.size();
    }
    if (slots_[slot] == kFree) {
      slots_[slot] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({address, certain});
    }
    if (certain) entries_[slots_[slot]].certain = true;
    return slots_[slot];
  }
  const std::vector<Entry>& all() const { return entries_; }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffU;

  std::size_t place_of(Address address) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>((address * kGolden) >> 20) % slots_.size();
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), kFree);
    for (std::uint32_t number = 0; number < entries_.size(); ++number) {
      auto slot = place_of(entries_[number].address);
      while (slots_[slot] != kFree) slot = (slot + 1) % slots_.size();
      slots_[slot] = number;
    }
  }

  std::vector<Entry> entries_{};
  std::vector<std::uint32_t> slots_{};  // a power of two of them, half of which are free
};

}  // namespace tidegauge::census
