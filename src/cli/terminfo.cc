// SPDX-License-Identifier: Apache-2.0
#include "cli/terminfo.h"

#include <unistd.h>

#include <cstdlib>

// Last, and in no header: they define macros such as columns and lines.
#include <curses.h>
#include <term.h>

namespace tidegauge::cli {

TerminalSkills terminal_skills() {
  const char* name = std::getenv("TERM");
  if (name == nullptr || *name == '\0') return {};
  int status = 0;  // without it, setupterm would end the program
  if (setupterm(name, STDOUT_FILENO, &status) != 0 || status != 1) return {};
  TerminalSkills skills;
  const bool generic = tigetflag("gn") == 1;  // a name for many: nothing can be relied on
  const bool paper = tigetflag("hc") == 1;
  const char* move = tigetstr("cup");
  const bool has_move = move != nullptr && move != reinterpret_cast<const char*>(-1);
  skills.moves_cursor = has_move && !generic && !paper;
  const int colours_told = tigetnum("colors");
  skills.colours = colours_told > 0 ? colours_told : 0;
  del_curterm(cur_term);
  return skills;
}

}  // namespace tidegauge::cli
