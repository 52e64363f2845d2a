// SPDX-License-Identifier: Apache-2.0
// Growth that goes with examples read for the first time, and with nothing else: it ends when all
// of them have been read, however straight it still looks. A loader worker that draws its examples
// anew in each epoch reads them all only after several.
#pragma once

#include <optional>

#include "verdict/setting.h"

namespace tidegauge::verdict {

struct FirstReads {
  double bytes_per_example = 0;
  double read = 0;       // examples, up to now
  double all = 0;        // examples
  double end_level = 0;  // of the floor, when all have been read
  // Growth with the other clock, bytes per second (per step where only those are known), that
  // cannot be excluded.
  double not_excluded = 0;
};

// Empty where the examples are not counted, where their count cannot be told from time or steps yet
// (in a first pass they go alike), or where something else grows, too.
std::optional<FirstReads> growth_by_first_reads(const Setting& setting);

// Examples are read for the first time only so often: growth that goes with them has an end, even
// where it is far off.
void bound_by_first_reads(const FirstReads& reads, Analysis& analysis);

}  // namespace tidegauge::verdict
