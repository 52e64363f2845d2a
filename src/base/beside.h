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

// What to say where fork fails: for want of memory, or of a number in one of these limits.
inline constexpr const char* kNoProcess = "no process can be started (ulimit -u, pids.max)";

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
// For such a process that must not outlive the one that started it, `starter`, by its main thread:
// others may have copies of the other end of the line.
void end_with(pid_t starter);
// Begins `work` in a copy of this process, with the other end of the line; where it returns or
// throws, that process ends.
Result<Beside> start_beside(LineKind kind, const std::function<void(UniqueFd)>& work);

}  // namespace tidegauge
