// SPDX-License-Identifier: Apache-2.0
// What is said where the kernel killed for lack of memory: nothing else about the job matters more.
#pragma once

#include <string>

#include "view/accounts.h"

namespace tidegauge::view {

enum class Tense { Over, GoingOn };  // of the recording

// "The kernel killed train.py (pid 494): out of memory under the cgroup limit of 60.0 MiB, 2.4 s
// before the end." Empty where it killed nobody.
std::string kill_sentence(const Accounts& accounts, Tense tense);

// Whether it was the job that lost a process, and not a stranger who shares its cgroup.
bool job_was_killed(const Accounts& accounts);

}  // namespace tidegauge::view
