// SPDX-License-Identifier: Apache-2.0
// What earlier runs of the same command teach: how long its growth may last before it is odd.
#pragma once

#include "verdict/verdict.h"

namespace tidegauge::verdict {

// `rules` with the longest warm-up that earlier runs make likely, where enough of them settled; as
// they are otherwise. Runs that leaked teach nothing about warm-ups.
Rules learned_from(std::vector<EarlierRun> earlier, Rules rules);

// "The last 3 runs of this command settled at 17.0 GiB, step 83 to 84."; empty: nothing to say.
std::string say_earlier(const std::vector<EarlierRun>& earlier);

}  // namespace tidegauge::verdict
