// SPDX-License-Identifier: Apache-2.0
// For a process of ours that reads what somebody with fewer rights wrote: what it opened before is
// all that it can work on.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace tidegauge {

struct Confinement {
  unsigned seconds = 60;  // of the clock, and of the processor: then the kernel ends it
  int niceness = 10;      // below those that watch and answer
};

// Of the calling process, for good: root becomes nobody, capabilities and groups are given up, no
// program that it would start gets any back, no file grows, no process is started, nothing is
// dumped or traced, and SIGALRM or the limit of processor time ends it. (Memory is limited by
// whoever knows how much is needed.)
Result<> confine(const Confinement& limits);

}  // namespace tidegauge
