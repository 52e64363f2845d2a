// SPDX-License-Identifier: Apache-2.0
// Bytes of a test in the place of a process's memory.
#pragma once

#include <algorithm>
#include <vector>

#include "census/memory.h"

namespace tidegauge::census {

inline constexpr Address kFakeStart = 0x7f0000000000;

class FakeMemory final : public Memory {
 public:
  // What is behind the given bytes, up to a whole arena, reads as zeros.
  FakeMemory(Address start, std::span<const std::byte> bytes) : start_(start), bytes_(1 << 20) {
    std::copy_n(bytes.begin(), std::min(bytes.size(), bytes_.size()), bytes_.begin());
  }
  bool read(Address from, std::span<std::byte> into) const override {
    if (from < start_ || from - start_ > bytes_.size()) return false;
    const auto offset = static_cast<std::size_t>(from - start_);
    if (into.size() > bytes_.size() - offset) return false;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return true;
  }

 private:
  Address start_;
  std::vector<std::byte> bytes_;
};

}  // namespace tidegauge::census
