// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tidegauge::proc {

// The path by which other processes of this pid namespace can open our descriptor `fd`.
std::string fd_path(int fd);

}  // namespace tidegauge::proc
