// SPDX-License-Identifier: Apache-2.0
// A terminal for the job's output only. The job keeps its stdin, its controlling terminal and its
// place in the shell's job control; so Ctrl-C, Ctrl-Z, typing ahead and reading passwords work as
// they always did, and the real terminal never has to be made raw.
#pragma once

#include <termios.h>

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::guard {

struct Pty {
  UniqueFd master;
  UniqueFd slave;
};

// One of the same size and modes as `terminal`, but which passes on output as it is: the real one
// turns newlines into what it needs. Its master reads packets (TIOCPKT) and tells of new modes.
Result<Pty> open_pty_like(int terminal);

// An interactive shell hands its terminal from job to job through its stderr; that works only with
// the real one.
bool is_interactive_shell(const std::vector<std::string>& arguments);

// Pagers, editors and the like read keys from the terminal that their stderr is, which only the
// real one has; and they print no steps.
bool is_for_the_screen(const std::vector<std::string>& arguments);

// True if the size differed.
bool copy_size(int from, int to);

// Does to the real terminal what the job does to the modes of the one that it sees as its output.
class ModeMirror {
 public:
  explicit ModeMirror(int master);
  void follow(int master, int terminal);

 private:
  termios known_{};
};

// `real` with those of its modes changed that differ between `before` and `after`.
termios with_changes(termios real, const termios& before, const termios& after);

}  // namespace tidegauge::guard
