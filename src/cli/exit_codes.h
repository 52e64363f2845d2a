// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tidegauge::cli {

// What every command but `run` (which exits as its job did) and `gate` returns. docs/commands.md.
enum ExitCode : int {
  kNothingWrong = 0,
  kCallsForAction = 1,  // a verdict that wants somebody to do something
  kWrongUse = 2,        // wrong words, or an input that makes no sense
  kCouldNotLook = 3,    // no such process or file, no permission
  // Of `run --guard`: the job ended with 0 because it was told to end before it was done.
  kStoppedByGuard = 75,
  // The same after a SIGTERM that was not the guard's: what a shell says of one that died of it.
  kTerminated = 143,
};

}  // namespace tidegauge::cli
