// SPDX-License-Identifier: Apache-2.0
#include "proc/limits.h"

#include <cstdint>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

struct Line {
  std::string_view name;
  std::optional<std::uint64_t> Limits::*member;
};
constexpr Line kLines[] = {
    {"Max address space ", &Limits::address_space}, {"Max data size ", &Limits::data},
    {"Max locked memory ", &Limits::locked},        {"Max open files ", &Limits::open_files},
    {"Max processes ", &Limits::processes},
};

}  // namespace

Limits parse_limits(std::string_view text) {
  Limits limits;
  while (!text.empty()) {
    const auto line = next_line(text);
    for (const auto& known : kLines) {
      if (!line.starts_with(known.name)) continue;
      auto rest = line.substr(known.name.size());
      limits.*known.member = to_number<std::uint64_t>(next_word(rest));  // "unlimited" is none
    }
  }
  return limits;
}

}  // namespace tidegauge::proc
