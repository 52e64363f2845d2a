// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace tidegauge {

// Of a process beside us: whoever reads the job's output to its end must not wait for it to go.
inline void let_go_of_terminal() {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
  if (nowhere > STDERR_FILENO) ::close(nowhere);
}

}  // namespace tidegauge
