// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/text.h"
#include "record/sample.h"

namespace tidegauge::proc {

// "    1640 kB" in bytes. The kernel writes kB and means KiB.
inline record::Bytes kilobytes(std::string_view text) {
  constexpr std::uint64_t kKilobyte = 1024;
  const auto number = to_number<std::uint64_t>(next_word(text));
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / kKilobyte) return {};
  if (next_word(text) != "kB") return {};
  return *number * kKilobyte;
}

}  // namespace tidegauge::proc
