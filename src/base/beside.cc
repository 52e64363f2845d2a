// SPDX-License-Identifier: Apache-2.0
#include "base/beside.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tidegauge {

Result<LineEnds> make_line(LineKind kind) {
  const int type = kind == LineKind::Stream ? SOCK_STREAM : SOCK_SEQPACKET;
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) {
    return from_errno(errno, "socketpair");
  }
  return LineEnds{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void end_with(pid_t starter) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != starter) ::_exit(0);  // it has ended before we could say so
}

Result<Beside> start_beside(LineKind kind, const std::function<void(UniqueFd)>& work) {
  auto line = make_line(kind);
  if (!line) return line.error();
  const pid_t pid = ::fork();
  if (pid < 0) return from_errno(errno, kNoProcess);
  if (pid > 0) return Beside{pid, std::move(line->ours)};
  line->ours = UniqueFd();
  try {
    work(std::move(line->theirs));
  } catch (...) {  // what called us goes on in the other process, not here
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace tidegauge
