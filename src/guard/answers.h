// SPDX-License-Identifier: Apache-2.0
// What the job says on its page, read without allocating. Whoever was given the page can write
// anything there, so only processes that the cell holds are heard.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "guard/decide.h"
#include "guard/world.h"
#include "record/ask.h"

namespace tidegauge::guard {

struct Answers {
  std::array<pid_t, TIDEGAUGE_ASK_LISTENERS> who{};
  std::size_t count = 0;
  Heard heard = Heard::Nothing;  // about `request`
};

// With an empty cell any living process is heard: asking harms nobody.
Answers answers_on(tidegauge_ask_header* page, const Levers& cell, std::uint64_t request);
// Whether all of `asked` had saved, now that they are gone.
bool all_saved(tidegauge_ask_header* page, const Answers& asked, std::uint64_t request);

}  // namespace tidegauge::guard
