// SPDX-License-Identifier: Apache-2.0
// Groups of a gauge that was killed together with all of its guard: nobody removed them.
#pragma once

#include <string>

#include "proc/root.h"
#include "record/sample.h"

namespace tidegauge::guard {

// The process that a group's name tells of is there and has not ended.
bool lives(const proc::Root& root, const record::ProcessId& owner);

// Removes those in `folder` that are empty, whose gauge has ended, and that are some time old: a
// gauge of another pid namespace, which cannot be seen from here, may be about to start its job.
void remove_left_groups(const proc::Root& root, const std::string& folder);

}  // namespace tidegauge::guard
