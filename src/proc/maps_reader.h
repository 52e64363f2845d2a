// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proc/maps.h"
#include "proc/root.h"
#include "proc/turns.h"

namespace tidegauge::proc {

// PID/FILE ("maps", "task/7/maps"), which can be megabytes, in bounded memory and with pauses:
// kernels before 6.17 hold the process's address space while they write a page of it.
Result<std::uint64_t> count_mappings(const Root& root, pid_t pid, std::string_view file);
Result<std::vector<Mapping>> read_mappings(const Root& root, pid_t pid, std::string_view file,
                                           Turns& turns);

}  // namespace tidegauge::proc
