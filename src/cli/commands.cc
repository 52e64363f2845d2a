// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/command.h"

namespace tidegauge::cli {

std::span<const Command> commands() {
  static constexpr std::array kCommands{
      Command{"doctor", "what can be measured here, and what to change where it cannot", doctor},
  };
  return kCommands;
}

}  // namespace tidegauge::cli
