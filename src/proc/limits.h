// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "record/sample.h"

namespace tidegauge::proc {

// Soft limits in /proc/PID/limits; empty where there is none.
struct Limits {
  record::Bytes address_space{};
  record::Bytes data{};
  record::Bytes locked{};
  record::Count open_files{};
  record::Count processes{};

  bool operator==(const Limits&) const = default;
};

Limits parse_limits(std::string_view text);

}  // namespace tidegauge::proc
