// SPDX-License-Identifier: Apache-2.0
// Time for the programs of known truth. A run takes as many seconds as the first argument says, in
// ticks of 20 ms; everything else is a share of it, so that a job of two hours can be played in one
// minute. The second argument seeds what is random.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MEGABYTE (1024.0 * 1024.0)

struct pace {
  double seconds;
  long tick;
  long ticks;
  unsigned long long random;
  struct timespec next;
};

static inline struct pace pace_begin(int argc, char** argv) {
  struct pace pace = {60, 0, 0, 1, {0, 0}};
  if (argc > 1) pace.seconds = atof(argv[1]);
  if (argc > 2) pace.random = strtoull(argv[2], NULL, 10) * 2654435761u + 1;
  pace.ticks = (long)(pace.seconds * 50);
  clock_gettime(CLOCK_MONOTONIC, &pace.next);
  return pace;
}

// Waits for the next tick. 0 when the run is over.
static inline int pace_tick(struct pace* pace) {
  if (++pace->tick > pace->ticks) return 0;
  pace->next.tv_nsec += 20000000;
  if (pace->next.tv_nsec >= 1000000000) {
    pace->next.tv_nsec -= 1000000000;
    ++pace->next.tv_sec;
  }
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &pace->next, NULL);
  return 1;
}

// How much of the run is over, 0 to 1.
static inline double pace_part(const struct pace* pace) {
  return (double)pace->tick / (double)pace->ticks;
}

// True once in each `share` of the run.
static inline int pace_every(const struct pace* pace, double share) {
  const long period = (long)((double)pace->ticks * share);
  return period < 1 || pace->tick % period == 0;
}

static inline double pace_random(struct pace* pace) {
  pace->random = pace->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(pace->random >> 11) * 0x1.0p-53;
}

// Bytes to do per tick for `megabytes` in the whole run.
static inline size_t pace_share(const struct pace* pace, double megabytes) {
  return (size_t)(megabytes * MEGABYTE / (double)pace->ticks);
}

// Memory that is really there: every page of it written.
static inline void* touched(size_t bytes) {
  void* memory = malloc(bytes);
  if (!memory) exit(1);
  memset(memory, 1, bytes);
  // A compiler may leave out memory that nobody reads; this it must believe to be read.
  __asm__ volatile("" : : "r"(memory) : "memory");
  return memory;
}
