// SPDX-License-Identifier: Apache-2.0
// The texts of /proc/meminfo and of /proc/pressure/memory (a cgroup's memory.pressure is the same).
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "record/sample.h"

namespace tidegauge::proc {

// The fields of Machine that meminfo has. Without MemTotal it is no meminfo: Malformed.
Result<record::Machine> parse_meminfo(std::string_view text);

// Share of the last 10 s in which some / all tasks waited for memory, 0..100.
struct Pressure {
  std::optional<double> some{};
  std::optional<double> full{};

  bool operator==(const Pressure&) const = default;
};
// Malformed where neither of the two lines is there.
Result<Pressure> parse_pressure(std::string_view text);

}  // namespace tidegauge::proc
