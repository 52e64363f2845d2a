// SPDX-License-Identifier: Apache-2.0
#include "proc/cmdline.h"

namespace tidegauge::proc {

std::vector<std::string> parse_cmdline(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const auto end = text.find('\0');
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  // A title shorter than the arguments that it was written over is followed by NULs.
  while (!arguments.empty() && arguments.back().empty()) arguments.pop_back();
  return arguments;
}

}  // namespace tidegauge::proc
