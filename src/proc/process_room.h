// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "proc/roots.h"

namespace tidegauge::proc {

// How many more processes and threads the groups that we are in leave to all who are in them
// (pids.max); nothing where none of them limits that, or none is to be seen.
std::optional<std::uint64_t> processes_left(const Roots& roots);

}  // namespace tidegauge::proc
