// SPDX-License-Identifier: Apache-2.0
#include "proc/loadavg.h"

#include "base/text.h"

namespace tidegauge::proc {

std::optional<pid_t> parse_last_pid(std::string_view text) {
  for (int field = 0; field < 4; ++field) next_word(text);
  const auto pid = to_number<pid_t>(next_word(text));
  if (!pid || *pid < 0) return {};
  return pid;
}

}  // namespace tidegauge::proc
