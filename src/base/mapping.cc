// SPDX-License-Identifier: Apache-2.0
#include "base/mapping.h"

#include "base/text.h"

namespace tidegauge {

// 7f12c000-7f12d000 rw-p 00000000 fd:00 123   /usr/lib/x.so
std::optional<MappingLine> parse_mapping_line(std::string_view line) {
  const auto range = next_word(line);
  const auto dash = range.find('-');
  if (dash == range.npos) return {};
  const auto begin = to_number<std::uint64_t>(range.substr(0, dash), 16);
  const auto end = to_number<std::uint64_t>(range.substr(dash + 1), 16);
  const auto permissions = next_word(line);
  const auto offset = to_number<std::uint64_t>(next_word(line), 16);
  const auto device = next_word(line);
  const auto inode = to_number<std::uint64_t>(next_word(line));
  if (!begin || !end || !offset || !inode || *begin >= *end || permissions.size() != 4) return {};
  const auto path = line.find_first_not_of(' ');
  return MappingLine{.begin = *begin,
                     .end = *end,
                     .permissions = permissions,
                     .offset = *offset,
                     .device = device,
                     .inode = *inode,
                     .path = path == line.npos ? std::string_view{} : line.substr(path)};
}

}  // namespace tidegauge
