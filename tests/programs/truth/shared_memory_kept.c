// SPDX-License-Identifier: Apache-2.0
// Shared segments (as a data loader's batches are) that nobody closes.
#include <sys/mman.h>
#include <unistd.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  const size_t size = (size_t)(1 * MEGABYTE);
  while (pace_tick(&pace)) {
    if (!pace_every(&pace, 1.0 / 150)) continue;
    const int segment = memfd_create("batch", MFD_CLOEXEC);
    if (segment < 0 || ftruncate(segment, (off_t)size) != 0) return 1;
    void* mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
    if (mapping == MAP_FAILED) return 1;
    memset(mapping, 1, size);
    close(segment);
  }
  return 0;
}
