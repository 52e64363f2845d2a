// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "guard/signals.h"
#include "guard/supervise.h"

namespace tidegauge::guard {

// Forks and executes the command, with the signals as they were before `watch` began, and with
// `terminal`, if it is not -1, in the place of stdout (and of stderr where both are one terminal).
// Returns once the command runs, or with the reason why it does not.
Result<pid_t> launch(const Launch& what, const SignalWatch& watch, int terminal);

}  // namespace tidegauge::guard
