// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace tidegauge::proc {

// The last field of /proc/loadavg: the pid that the kernel gave out last, to a process or a thread,
// in the reader's own pid namespace.
std::optional<pid_t> parse_last_pid(std::string_view text);

}  // namespace tidegauge::proc
