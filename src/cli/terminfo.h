// SPDX-License-Identifier: Apache-2.0
// What terminfo knows of the terminal that TERM names.
#pragma once

namespace tidegauge::cli {

struct TerminalSkills {
  bool moves_cursor = false;  // so a view can be drawn on it
  int colours = 0;
};
// Nothing at all where TERM is empty, or terminfo does not know it.
TerminalSkills terminal_skills();

}  // namespace tidegauge::cli
