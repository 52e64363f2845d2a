// SPDX-License-Identifier: Apache-2.0
// From what was found in a series to a verdict with its evidence.
#pragma once

#include "verdict/analysis.h"
#include "verdict/limits.h"

namespace tidegauge::verdict {

Verdict conclude(const Subject& subject, const Material& material, const Analysis& analysis,
                 const std::optional<Limit>& limit);

// The sentences; conclude() has filled in everything else.
std::vector<std::string> evidence_for(const Verdict& verdict, const Material& material,
                                      const Analysis& analysis);

// "12 min" or "40 steps", by what the recording counts.
std::string format_span(double span, bool steps);

// "an evaluation", "the first pass over the data": what growth is tied to, as a noun.
std::string noun_of(Tie tie, const std::string& phase);

}  // namespace tidegauge::verdict
