// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

namespace tidegauge::cli {

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
      {"run", "start a job under the gauge, and say what its memory did", run},
      {"watch", "follow a job that already runs; nothing is put into it", watch},
      {"judge", "verdicts for a recording or for somebody else's numbers", judge},
      {"report", "a report of a recording", report},
      {"serve", "a live page of jobs and recordings, and metrics, on this machine", serve},
      {"census", "what a Python process holds, and who holds it", census},
      {"doctor", "what can be measured here, and what to change where it cannot", doctor},
      {"mark", "tell the gauge about a step, an epoch or a phase, from a script", mark},
      {"ask", "ask a job under the gauge for a checkpoint", ask},
  };
  return kCommands;
}

}  // namespace tidegauge::cli
