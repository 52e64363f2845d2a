// SPDX-License-Identifier: Apache-2.0
// What is said where the kernel killed for lack of memory: nothing else about the job matters more.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "view/accounts.h"

namespace tidegauge::view {

enum class Tense { Over, GoingOn };  // of the recording

// The last kill that cost the job a process; where none did, the last of a stranger.
struct Killed {
  // "The kernel killed train.py (pid 494): out of memory under the cgroup limit of 60.0 MiB, 2.4 s
  // before the end."
  std::string words{};
  bool of_job = false;         // and not a stranger who shares its cgroup, or one above
  double at = 0;               // seconds since the recording began
  std::uint64_t times = 0;     // moments of that kind so far
  std::optional<pid_t> pid{};  // empty: it is not known who it was
  std::string name{};          // of that process
  std::string cgroup{};        // path of the innermost group that has counted it
  std::optional<std::uint64_t> limit_bytes{};  // of the group that was full, where it was one
};
std::optional<Killed> killed(const Accounts& accounts, Tense tense);

std::string kill_sentence(const Accounts& accounts, Tense tense);  // empty: it killed nobody

// Whether the job has lost a process.
bool job_was_killed(const Accounts& accounts);

}  // namespace tidegauge::view
