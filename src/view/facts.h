// SPDX-License-Identifier: Apache-2.0
// The few numbers under the headline: how fast, until when, how much, what, what helps.
#pragma once

#include <vector>

#include "view/words.h"

namespace tidegauge::view {

std::vector<Fact> facts_of(const verdict::Verdict& verdict);

// True where growth is not known to be over.
bool may_grow(const verdict::Verdict& verdict);

// True where memory is expected to run out: the forecast says more likely than not.
bool runs_out(const verdict::Verdict& verdict);

}  // namespace tidegauge::view
