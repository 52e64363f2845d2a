// SPDX-License-Identifier: Apache-2.0
// A ring of buffers: each tick the oldest makes room for a new one.
#include "pace.h"

enum { kRing = 64 };

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  static void* ring[kRing];
  for (int i = 0; i < kRing; ++i) ring[i] = touched((size_t)(1.5 * MEGABYTE));
  while (pace_tick(&pace)) {
    void** oldest = &ring[pace.tick % kRing];
    free(*oldest);
    *oldest = touched((size_t)((1.4 + 0.2 * pace_random(&pace)) * MEGABYTE));
  }
  return 0;
}
