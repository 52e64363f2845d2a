// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  const size_t size = (size_t)(1 * MEGABYTE);
  while (pace_tick(&pace)) {
    if (!pace_every(&pace, 1.0 / 200)) continue;
    void* mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return 1;
    memset(mapping, 1, size);
  }
  return 0;
}
