// SPDX-License-Identifier: Apache-2.0
// A job's workload, and the stores that it fills. Bounded truth comes from a cause here, not from a
// shape: caches that see items in order or at random, arenas, high-water marks, sessions, collected
// heaps. A leak is one more store, which never gives back.
#pragma once

#include <vector>

#include "bench/verdict/sketch.h"

namespace tidegauge::bench {

struct Job {
  Sketch& sketch;
  std::vector<double> work{};  // done until each sample, in seconds at mean speed

  Random& random() { return sketch.random; }
};

// Steady, changing its speed, busy and idle, or with the hours of the day; marks stop it.
Job begin_work(Sketch& sketch);

// Each adds `size` megabytes to the floor when full.
void cache_in_order(Job& job, double size, double pass);       // one pass over the data fills it
void cache_at_random(Job& job, double size, double pass);      // drawn with replacement
void cache_by_popularity(Job& job, double size, double pass);  // Zipf: the rare ones take for ever
void caches_in_turn(Job& job, double size, double pass);       // several data sets
void arenas(Job& job, double size, double span);               // 2 to 24 jumps
void high_water(Job& job, double size);                        // of requests of random size
void stairs_that_stop(Job& job, double size);                  // first 1 to 9 evaluations
void sessions(Job& job, double size);                          // arrive and end
void resizes(Job& job, double size);                           // 1 to 3, some taken back
void adoption(Job& job, double size, double span);             // S-shaped

// Each comes and goes, up to about `height` megabytes.
void collected_heap(Job& job, double height);   // one or two generations
void on_and_off(Job& job, double height);       // a part of the job that is not always there
void slow_wave(Job& job, double height);        // two tones
void bursts(Job& job, double height);           // at random, given back bit by bit
void wandering_cache(Job& job, double height);  // reclaimed when it is too much

}  // namespace tidegauge::bench
