/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells tidegauge what your program is doing, so that memory can be set against steps instead of
 * minutes:
 *
 *     #include <tidegauge/mark.h>
 *
 *     for (long step = 1; step <= steps; ++step) {
 *       train(step);
 *       tidegauge_step(step);
 *     }
 *
 * Under `tidegauge run` a call costs about a tenth of a microsecond; without a gauge one or two
 * nanoseconds, and nothing happens. No call waits, fails, allocates or changes errno. All may be
 * used from any thread and after fork. There is no library to link. docs/marks.md has the rest. */
#pragma once

#include <errno.h>
#include <stdlib.h>

#include "ring.h"

struct tidegauge_job {
  struct tidegauge_ring* ring;
  int looked; /* there is no gauge if there is no ring */
};

/* One for the whole program, however many files include this. */
__attribute__((weak)) struct tidegauge_job tidegauge_job;

/* The first call looks for a gauge. Two threads may do so at once; the first one's ring stays. */
static inline struct tidegauge_ring* tidegauge_find_ring(void) {
  const int error = errno;
  struct tidegauge_ring* none = NULL;
  struct tidegauge_ring* const found = tidegauge_ring_open(getenv(tidegauge_ring_variable()));
  if (found != NULL && !__atomic_compare_exchange_n(&tidegauge_job.ring, &none, found, 0,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    tidegauge_ring_close(found);
  }
  __atomic_store_n(&tidegauge_job.looked, 1, __ATOMIC_RELEASE);
  errno = error;
  return __atomic_load_n(&tidegauge_job.ring, __ATOMIC_ACQUIRE);
}

static inline struct tidegauge_ring* tidegauge_ring_of_job(void) {
  struct tidegauge_ring* const ring = __atomic_load_n(&tidegauge_job.ring, __ATOMIC_ACQUIRE);
  if (ring != NULL || __atomic_load_n(&tidegauge_job.looked, __ATOMIC_ACQUIRE)) return ring;
  return tidegauge_find_ring();
}

static inline void tidegauge_count(enum tidegauge_kind kind, int64_t number, int64_t total) {
  struct tidegauge_ring* const ring = tidegauge_ring_of_job();
  struct tidegauge_slot mark;
  if (ring == NULL) return;
  memset(&mark, 0, sizeof mark);
  mark.kind = (uint16_t)kind;
  mark.source = TIDEGAUGE_EXPLICIT;
  mark.a = number;
  mark.b = total;
  tidegauge_ring_write(ring, mark);
}

static inline void tidegauge_say(enum tidegauge_kind kind, const char* text) {
  struct tidegauge_ring* const ring = tidegauge_ring_of_job();
  struct tidegauge_slot mark;
  if (ring == NULL || text == NULL) return;
  memset(&mark, 0, sizeof mark);
  mark.kind = (uint16_t)kind;
  mark.source = TIDEGAUGE_EXPLICIT;
  tidegauge_ring_write_text(ring, mark, text);
}

/* Whether somebody listens: only to spare work that is done for a mark alone. */
static inline int tidegauge_watched(void) {
  return tidegauge_ring_of_job() != NULL;
}

/* Step `number` has ended. */
static inline void tidegauge_step(int64_t number) {
  tidegauge_count(TIDEGAUGE_STEP, number, 0);
}

/* Epoch `number` begins. */
static inline void tidegauge_epoch(int64_t number) {
  tidegauge_count(TIDEGAUGE_EPOCH, number, 0);
}

/* This process has read `seen` different examples of a data set of `total` (0: not known). */
static inline void tidegauge_distinct(int64_t seen, int64_t total) {
  tidegauge_count(TIDEGAUGE_DISTINCT, seen, total);
}

/* "eval", "save", "compile", "predict" are known to the verdicts; any other name is yours. Cut
 * after 240 bytes, as notes are. */
static inline void tidegauge_phase_begin(const char* name) {
  tidegauge_say(TIDEGAUGE_PHASE_BEGIN, name);
}
static inline void tidegauge_phase_end(const char* name) {
  tidegauge_say(TIDEGAUGE_PHASE_END, name);
}

/* Free text, shown where it happened. */
static inline void tidegauge_note(const char* text) {
  tidegauge_say(TIDEGAUGE_NOTE, text);
}
