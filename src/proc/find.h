// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "proc/roots.h"

namespace tidegauge::proc {

// Pids whose name or command line matches `pattern` (POSIX extended regular expression), ascending:
// without ourselves, our ancestors and other gauges, and without those whose ancestor matches too.
// Malformed: the pattern, with what is wrong with it.
Result<std::vector<pid_t>> find_by_name(const std::string& pattern, const Roots& roots);

}  // namespace tidegauge::proc
