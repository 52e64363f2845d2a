// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::proc {

// The arguments in the text of /proc/PID/cmdline: each ended by a NUL. A process may write over
// them (setproctitle), so the last one may lack its NUL and any bytes may be in them. Empty for
// kernel threads and for processes that have ended.
std::vector<std::string> parse_cmdline(std::string_view text);

}  // namespace tidegauge::proc
