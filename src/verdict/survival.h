// SPDX-License-Identifier: Apache-2.0
// How likely a straight warm-up is to be still going on after so long. A straight ramp carries no
// sign of whether it will stop, so this prior, on the best clock there is, is all that decides. It
// is policy, stated in Rules and printed with the verdict.
#pragma once

#include <optional>

#include "verdict/verdict.h"

namespace tidegauge::verdict {

// Warm-ups without a mark last between a fortieth of `longest` and `longest`, each octave being
// equally likely; a few last longer.
double survival_by_length(double age, double longest);
// The age at which the above has fallen to `survival`.
double age_at_survival(double survival, double longest);

// A pass counts as over only a little later: the last batch may be short, the loader reads ahead.
inline constexpr double kPassOver = 1.06;

// With a clock of passes over the data: nothing is decided within the first pass, and little
// remains after it.
double survival_by_pass(double passes);
double passes_at_survival(double survival);

// Growth by one step per event: arenas and pools fill up over the first few.
double survival_by_event(double events, Tie tie);
double events_at_survival(double survival, Tie tie);

// p_leak at or above this is called a leak. `warm_ups`: how many of the longest ones have gone by
// since the recording began; an alarm's bar comes down with them.
double leak_bar(const Rules& rules, double warm_ups);
// The survival at which a perfectly straight ramp reaches that bar.
double survival_needed(const Rules& rules, double bar);

// A straight ramp may still be a warm-up, of which this share are straight.
inline constexpr double kStraightWarmUps = 0.6;

}  // namespace tidegauge::verdict
