// SPDX-License-Identifier: Apache-2.0
// For processes that work beside us.
#pragma once

#include <cstdint>

namespace tidegauge::census {

// A session of its own, no signals, a name: a Ctrl-C on the terminal, the shell's job control and a
// kill of our group are not for it.
void stand_aside(const char* name);

// No allocation of ours goes beyond that much more; it fails instead. And if that was reckoned
// wrong, we are the first to go.
void take_no_more_than(std::uint64_t bytes);

// A limit of setrlimit()'s; one that is lower already stays.
void lower_limit(int what, std::uint64_t most);

double now_ms();  // on the clock that does not jump

}  // namespace tidegauge::census
