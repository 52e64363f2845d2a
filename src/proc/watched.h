// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "proc/deep_state.h"
#include "proc/gpu_use.h"
#include "proc/process_reader.h"
#include "proc/rare_counts.h"
#include "proc/stat.h"
#include "record/recording.h"

namespace tidegauge::proc {

// All that is known of one process that is watched.
struct Watched {
  ProcessReader reader;
  record::Process process{};             // as it was told, or is to be
  std::vector<std::string> arguments{};  // as they are: not to be shown without being masked
  Image image{};                         // unknown where it is not ours to read
  bool asked_for = false;                // a root
  bool is_new = true;                    // nobody has been told that it joined
  bool to_be_told = true;                // `process` has changed
  RareCounts rare{};
  DeepState deep{};
  GpuUse gpu{};
};

// True of a process that waits for a disk or a server right now, perhaps in the middle of a change
// to its own address space: who asks for its command line, mappings or page tables then waits with
// it, for minutes where a file server is gone. Counters can always be asked for.
inline bool may_hold_its_lock(char state) {
  return state == 'D';
}
bool may_hold_its_lock(const Root& root, const Watched& watched);

}  // namespace tidegauge::proc
