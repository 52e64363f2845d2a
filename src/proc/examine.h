// SPDX-License-Identifier: Apache-2.0
// What can be measured here, and what to change where it cannot: the facts of `tidegauge doctor`.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "proc/collector.h"

namespace tidegauge::proc {

struct Finding {
  enum class State { Good, Limited, Missing };
  State state = State::Good;
  std::string section{};  // "rights": findings of one section come one after another
  std::string what{};     // "PSS of other users' processes"
  std::string found{};    // "not readable"
  // "run as root, or setcap cap_sys_ptrace+ep": empty where nothing is to be done.
  std::string advice{};

  bool operator==(const Finding&) const = default;
};

// Of this machine, for whoever runs us.
std::vector<Finding> examine_machine(const CollectOptions& options);

// Why the memory of another process of ours may not be read ("kernel.yama.ptrace_scope is 1"; empty
// where that is not known), and what would help.
struct Refusal {
  std::string why{};
  std::string advice{};
};
Refusal refusal_of_memory(const Roots& roots);

// Of one process. Gone: there is none, or none that we may see.
Result<std::vector<Finding>> examine_process(pid_t pid, const CollectOptions& options);

}  // namespace tidegauge::proc
