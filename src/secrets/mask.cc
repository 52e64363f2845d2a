// SPDX-License-Identifier: Apache-2.0
#include "secrets/mask.h"

#include <algorithm>
#include <cstddef>

#include "secrets/finders.h"
#include "secrets/line.h"

namespace tidegauge::secrets {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::string_view kEllipsis = "…";
// More than this of a command line is not looked at: after masking, 4 KiB of it are kept.
constexpr std::size_t kLookedAt = 16ull * 1024;

// Not in the middle of a character.
std::string cut(std::string text, bool all) {
  if (all && text.size() <= kLongest) return text;
  auto end = std::min(text.size(), kLongest - kEllipsis.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  text.resize(end);
  return text.append(kEllipsis);
}

std::size_t size_of(const std::vector<std::string>& arguments) {
  std::size_t size = arguments.empty() ? 0 : arguments.size() - 1;
  for (const auto& argument : arguments) size += argument.size();
  return size;
}

}  // namespace

std::string masked_command(const std::vector<std::string>& arguments) {
  const auto line = line_of(arguments, kLookedAt);
  Hidden hidden;
  hide_named_values(line, hidden);
  hide_option_values(line, hidden);
  hide_in_addresses(line, hidden);
  hide_by_place(line, hidden);
  hide_tokens(line.text, hidden);
  return cut(hidden.applied_to(line.text), line.text.size() == size_of(arguments));
}

std::string masked_text(std::string_view text) {
  return masked_command({std::string(text)});
}

}  // namespace tidegauge::secrets
