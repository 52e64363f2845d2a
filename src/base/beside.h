// SPDX-License-Identifier: Apache-2.0
// A process beside this one that does a work of its own, with a line between the two. Either end of
// the line tells when the other process is gone.
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge {

enum class LineKind {
  Stream,   // bytes, in whatever pieces they come
  Packets,  // each of what is sent comes whole, or not at all
};

// Both ways. Programs that are started get neither end.
struct LineEnds {
  UniqueFd ours;
  UniqueFd theirs;
};
Result<LineEnds> make_line(LineKind kind);

struct Beside {
  pid_t pid = -1;
  UniqueFd line;
};
// Begins `work` in a copy of this process, with the other end of the line; where it returns or
// throws, that process ends.
Result<Beside> start_beside(LineKind kind, const std::function<void(UniqueFd)>& work);

}  // namespace tidegauge
