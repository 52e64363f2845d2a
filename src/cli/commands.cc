// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/command.h"

namespace tidegauge::cli {

std::span<const Command> commands() {
  static constexpr std::array<Command, 0> kCommands = {};
  return kCommands;
}

}  // namespace tidegauge::cli
