// SPDX-License-Identifier: Apache-2.0
#include "steps.h"

#include <string.h>

enum { MOST_NESTED = 16, TABLE = 1 << 12, MOST_USED = TABLE / 4 * 3 };

struct counted {
  const void* thing;
  uint32_t source;
  int64_t count;
  int64_t total;
};

// By address, with open addressing; forgets everything when it gets full.
struct table {
  struct counted entries[TABLE];
  uint32_t used;
  uint32_t numbers;  // given out so far
};

static const struct python_api* python;
static struct tidegauge_ring* ring;
static struct table optimizers;
static struct table iterators;
static uint64_t looked_around_ns;

// Optimizers whose step runs now, the outermost first.
static __thread const void* inside[MOST_NESTED];
static __thread int depth;

static struct counted* entry_of(struct table* table, const void* thing, int make) {
  const uint64_t hash = (uint64_t)(uintptr_t)thing * UINT64_C(0x9e3779b97f4a7c15);
  for (uint64_t i = hash >> 52;; ++i) {  // 52: the upper 12 bits, as many as TABLE has
    struct counted* const entry = &table->entries[i % TABLE];
    if (entry->thing == thing) return entry;
    if (entry->thing != NULL) continue;
    if (!make) return NULL;
    if (table->used >= MOST_USED) {
      memset(table->entries, 0, sizeof table->entries);
      table->used = 0;
    }
    entry->thing = thing;
    ++table->used;
    ++table->numbers;
    return entry;
  }
}

static python_object* told(long long what) {
  return python->new_long(what);
}

static struct tidegauge_slot slot_of(const struct counted* entry) {
  struct tidegauge_slot slot;
  memset(&slot, 0, sizeof slot);
  slot.kind = TIDEGAUGE_STEP;
  slot.source = entry->source;
  slot.a = entry->count;
  slot.b = entry->total;
  return slot;
}

static python_object* tell_step(const void* optimizer) {
  const uint64_t second_ns = UINT64_C(1000000000);
  struct counted* const entry = entry_of(&optimizers, optimizer, 1);
  if (entry->source == 0) entry->source = TIDEGAUGE_OPTIMIZER | optimizers.numbers << 8;
  ++entry->count;
  struct tidegauge_slot slot = slot_of(entry);
  slot.t_ns = tidegauge_ring_now_ns();
  tidegauge_ring_write(ring, slot);
  if (slot.t_ns - looked_around_ns < second_ns) return told(STEP_DONE);
  looked_around_ns = slot.t_ns;
  return told(STEP_LOOK_AROUND);
}

static python_object* step_begin(python_object* self, python_object* const* arguments,
                                 ssize_t count) {
  (void)self;
  if (count >= 1) {
    if (depth < MOST_NESTED) inside[depth] = arguments[0];
    ++depth;
  }
  return told(STEP_DONE);
}

static python_object* step_end(python_object* self, python_object* const* arguments,
                               ssize_t count) {
  (void)self;
  if (ring == NULL || count < 1) return told(STEP_DONE);
  while (depth > 0) {
    --depth;
    if (depth < MOST_NESTED && inside[depth] == arguments[0]) break;
  }
  return depth > 0 ? told(STEP_MAYBE_NESTED) : tell_step(arguments[0]);
}

static python_object* step_alone(python_object* self, python_object* const* arguments,
                                 ssize_t count) {
  (void)self;
  depth = 0;
  return ring == NULL || count < 1 ? told(STEP_DONE) : tell_step(arguments[0]);
}

static python_object* batch_begin(python_object* self, python_object* const* arguments,
                                  ssize_t count) {
  (void)self;
  if (count >= 3) {
    struct counted* const entry = entry_of(&iterators, arguments[0], 1);
    entry->source = (uint32_t)python->as_long(arguments[1]);
    entry->total = python->as_long(arguments[2]);
    entry->count = 0;
    python->clear_error();
  }
  return told(STEP_DONE);
}

static python_object* batch_end(python_object* self, python_object* const* arguments,
                                ssize_t count) {
  (void)self;
  struct counted* const entry =
      ring == NULL || count < 1 ? NULL : entry_of(&iterators, arguments[0], 0);
  if (entry != NULL) {
    ++entry->count;
    tidegauge_ring_write(ring, slot_of(entry));
  }
  return told(STEP_DONE);
}

void step_methods(const struct python_api* api, struct tidegauge_ring* to,
                  struct python_method* methods) {
  static const struct python_method all[STEP_METHODS] = {
      {"step_begin", step_begin, PYTHON_METH_FASTCALL, NULL},
      {"step_end", step_end, PYTHON_METH_FASTCALL, NULL},
      {"step_alone", step_alone, PYTHON_METH_FASTCALL, NULL},
      {"batch_begin", batch_begin, PYTHON_METH_FASTCALL, NULL},
      {"batch_end", batch_end, PYTHON_METH_FASTCALL, NULL},
  };
  python = api;
  ring = to;
  memcpy(methods, all, sizeof all);
}
