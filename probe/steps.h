// SPDX-License-Identifier: Apache-2.0
// What happens at every step of an optimizer and at every batch, kept out of Python: a step's
// caches are cold, and each line of Python costs more than all of this.
#pragma once

#include "python_api.h"
#include "record/ring.h"

enum {
  STEP_DONE = 0,
  STEP_MAYBE_NESTED = 1,  // within the step of another, or of one that raised: ask the stack
  STEP_LOOK_AROUND = 2    // told, and a second has passed since we said so last
};

//   step_begin(optimizer)            its step begins, in this thread
//   step_end(optimizer)              it ended: sends a mark, unless it may be nested; one of the
//   above step_alone(optimizer)            the same, where the stack has shown that it is not
//   nested batch_begin(iterator, source, total)   a pass begins batch_end(iterator) one more batch:
//   sends a mark
// Things are known by their address; none is kept alive. `count` of them are written to `methods`.
enum { STEP_METHODS = 5 };
void step_methods(const struct python_api* api, struct tidegauge_ring* to,
                  struct python_method* methods);
