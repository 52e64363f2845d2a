// SPDX-License-Identifier: Apache-2.0
// A thread that comes first for a moment, because others stand still until it is done.
#pragma once

#include <sys/types.h>

namespace tidegauge::census {

// Gives a child that has been made in haste the priority of its parent.
void end_haste_of(pid_t child, pid_t parent);

// One that never runs on its own.
void hasten(pid_t helper);

// Ourselves, for good.
void hasten_ourselves();

}  // namespace tidegauge::census
