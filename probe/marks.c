// SPDX-License-Identifier: Apache-2.0
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include "around.h"
#include "asking.h"
#include "record/ring.h"
#include "steps.h"

static const struct python_api* python;
static struct tidegauge_ring* ring;

static const char kDistinctName[] = "tidegauge.distinct";

// Which examples a process has read: a bit each, so that a million cost 128 kB.
struct distinct {
  int64_t size;
  int64_t count;
  uint64_t bits[];
};

static python_object* none(void) {
  python->increase(python->none);
  return python->none;
}

static int64_t number(python_object* const* arguments, ssize_t count, ssize_t index) {
  if (index >= count) return 0;
  const long long value = python->as_long(arguments[index]);
  if (value == -1) python->clear_error();  // no number, or too large for one: -1 will do
  return value;
}

static struct tidegauge_slot slot_of(python_object* const* arguments, ssize_t count) {
  struct tidegauge_slot slot;
  memset(&slot, 0, sizeof slot);
  slot.kind = (uint16_t)number(arguments, count, 0);
  slot.source = (uint32_t)number(arguments, count, 1);
  return slot;
}

static python_object* mark(python_object* self, python_object* const* arguments, ssize_t count) {
  (void)self;
  if (ring != NULL && count >= 2) {
    struct tidegauge_slot slot = slot_of(arguments, count);
    slot.a = number(arguments, count, 2);
    slot.b = number(arguments, count, 3);
    slot.c = (uint64_t)number(arguments, count, 4);
    tidegauge_ring_write(ring, slot);
  }
  return none();
}

static python_object* text(python_object* self, python_object* const* arguments, ssize_t count) {
  (void)self;
  if (ring != NULL && count >= 3) {
    const char* const words = python->as_text(arguments[2]);
    if (words == NULL) {
      python->clear_error();
    } else {
      tidegauge_ring_write_text(ring, slot_of(arguments, count), words);
    }
  }
  return none();
}

static void distinct_free(python_object* capsule) {
  free(python->capsule_pointer(capsule, kDistinctName));
}

static python_object* distinct_new(python_object* self, python_object* const* arguments,
                                   ssize_t count) {
  (void)self;
  enum { MOST = 1 << 30 };  // 128 MB of bits: a larger data set goes without
  const int64_t size = number(arguments, count, 0);
  if (size <= 0 || size > MOST) return none();
  struct distinct* const set =
      calloc(1, sizeof(struct distinct) + ((size_t)size + 63) / 64 * sizeof(uint64_t));
  if (set == NULL) return none();
  set->size = size;
  python_object* const capsule = python->new_capsule(set, kDistinctName, distinct_free);
  if (capsule != NULL) return capsule;
  free(set);
  python->clear_error();
  return none();
}

static int distinct_put(struct distinct* set, int64_t index) {
  if (index < 0) index += set->size;  // as a list takes it
  if (index < 0 || index >= set->size) return 0;
  const uint64_t bit = UINT64_C(1) << (index % 64);
  uint64_t* const word = &set->bits[index / 64];
  if (*word & bit) return 0;
  *word |= bit;
  ++set->count;
  return 1;
}

static python_object* distinct_add(python_object* self, python_object* const* arguments,
                                   ssize_t count) {
  (void)self;
  if (count < 2 || arguments[0] == python->none) return python->new_long(-1);
  struct distinct* const set = python->capsule_pointer(arguments[0], kDistinctName);
  const ssize_t size = set == NULL ? -1 : python->sequence_size(arguments[1]);
  int fresh = 0;
  for (ssize_t i = 0; i < size; ++i) {
    python_object* const item = python->sequence_item(arguments[1], i);
    if (item == NULL) break;
    const long long index = python->as_long(item);
    python->decrease(item);
    if (index == -1 && python->error_occurred() != NULL) break;  // keys that are no numbers
    fresh += distinct_put(set, index);
  }
  python->clear_error();
  return python->new_long(fresh > 0 ? set->count : -1);
}

static python_object* method(python_object* self, python_object* const* arguments, ssize_t count) {
  (void)self;
  if (count < 1) return none();
  if (python->new_method != NULL) return python->new_method(arguments[0]);
  python->increase(arguments[0]);
  return arguments[0];
}

enum { OWN_METHODS = 5, METHODS = OWN_METHODS + 1 + STEP_METHODS + ASK_METHODS };

// Python keeps pointers into it.
static struct python_method methods[METHODS] = {
    {"mark", mark, PYTHON_METH_FASTCALL, NULL},
    {"text", text, PYTHON_METH_FASTCALL, NULL},
    {"distinct_new", distinct_new, PYTHON_METH_FASTCALL, NULL},
    {"distinct_add", distinct_add, PYTHON_METH_FASTCALL, NULL},
    {"method", method, PYTHON_METH_FASTCALL, NULL},
};

python_object* tidegauge_python_functions(void) {
  if (python == NULL) python = python_api_find();
  if (python == NULL) return NULL;
  if (ring == NULL) ring = tidegauge_ring_open(getenv(tidegauge_ring_variable()));
  methods[OWN_METHODS] = around_method(python);
  step_methods(python, ring, &methods[OWN_METHODS + 1]);
  ask_methods(python, &methods[OWN_METHODS + 1 + STEP_METHODS]);
  python_object* const dict = python->new_dict();
  if (dict == NULL) return NULL;
  for (size_t i = 0; i < METHODS; ++i) {
    python_object* const function = python->new_function(&methods[i], NULL, NULL);
    if (function == NULL) continue;
    python->set_item(dict, methods[i].name, function);
    python->decrease(function);
  }
  python_object* const has_ring = python->new_long(ring != NULL);
  if (has_ring != NULL) {
    python->set_item(dict, "has_ring", has_ring);
    python->decrease(has_ring);
  }
  return dict;
}
