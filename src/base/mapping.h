// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidegauge {

// A line of /proc/PID/maps, as it stands there.
struct MappingLine {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;           // more than `begin`
  std::string_view permissions{};  // four letters: "rw-p"
  std::uint64_t offset = 0;
  std::string_view device{};  // major and minor number in hexadecimal: "fd:00"
  std::uint64_t inode = 0;
  std::string_view path{};  // or "[heap]", "[vdso]", empty; blanks and " (deleted)" as they are
};

// Nothing where the line is not of that form. What it points to is in `line`.
std::optional<MappingLine> parse_mapping_line(std::string_view line);

}  // namespace tidegauge
