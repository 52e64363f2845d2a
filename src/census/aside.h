// SPDX-License-Identifier: Apache-2.0
// For processes that work beside us.
#pragma once

namespace tidegauge::census {

// A session of its own, no signals, a name: a Ctrl-C on the terminal, the shell's job control and a
// kill of our group are not for it.
void stand_aside(const char* name);

double now_ms();  // on the clock that does not jump

}  // namespace tidegauge::census
