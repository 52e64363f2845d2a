// SPDX-License-Identifier: Apache-2.0
#include "proc/fd_path.h"

#include <unistd.h>

namespace tidegauge::proc {

std::string fd_path(int fd) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(fd);
}

}  // namespace tidegauge::proc
