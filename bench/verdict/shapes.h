// SPDX-License-Identifier: Apache-2.0
// Shapes that several classes share.
#pragma once

#include <cstddef>

#include "bench/verdict/sketch.h"

namespace tidegauge::bench {

// 0 before `begin`, 1 after `begin + length`, straight between.
double ramp(double seconds, double begin, double length);

// A collected heap: it fills up and is emptied, 6 to 200 times.
void add_sawtooth(Sketch& sketch);

// Evaluations, 10 to 40, of which the first `share` (at least two) each leave a step of the floor
// behind.
struct Stairs {
  double step = 0;        // megabytes, in the mean
  std::size_t count = 0;  // evaluations that left one
};
Stairs add_event_stairs(Sketch& sketch, double share);

// Evaluations of random height, length and number; `show_marks` for half of the series.
void add_random_spikes(Sketch& sketch, double lowest, double highest);

// The job ends and frees what it has while the last one to three samples are taken.
void add_teardown(Sketch& sketch);

// Samples get lost, come irregularly, among spikes.
void add_missing_samples(Sketch& sketch);

}  // namespace tidegauge::bench
