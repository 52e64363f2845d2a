// SPDX-License-Identifier: Apache-2.0
// Collects, and throws everything away when it is too much: a collected heap in miniature.
#include <malloc.h>

#include "pace.h"

enum { kMost = 100000 };

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(40 * MEGABYTE));
  static void* pile[kMost];
  int height = 0;
  const size_t block = pace_share(&pace, 1200);  // twelve teeth of about 100 MB
  double room = 100 * MEGABYTE;
  while (pace_tick(&pace)) {
    pile[height++] = touched(block);
    if ((double)height * (double)block < room && height < kMost) continue;
    while (height > 0) free(pile[--height]);
    malloc_trim(0);
    room = (80 + 40 * pace_random(&pace)) * MEGABYTE;
  }
  return 0;
}
