// SPDX-License-Identifier: Apache-2.0
// Small files of control groups that were opened before: reading and writing them allocates
// nothing.
#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace tidegauge::guard {

// memory.stat of version 2 is 2 KB, vmstat 4 to 6 KB. It lies on the stack, of which there may be
// 64 KiB (ulimit -s).
using GroupText = std::array<char, 8192>;

UniqueFd open_in(const std::string& folder, const char* name, int flags);
// What lies at `at`; nothing where it cannot be read.
std::string_view read_group(const UniqueFd& fd, GroupText& buffer, off_t at = 0);
bool write_group(const UniqueFd& fd, std::string_view text);
bool write_group(const UniqueFd& fd, long long number);

UniqueFd pidfd_of(pid_t pid);

}  // namespace tidegauge::guard
