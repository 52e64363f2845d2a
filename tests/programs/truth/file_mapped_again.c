// SPDX-License-Identifier: Apache-2.0
// Appends to a file, maps each new part, reads it, and never unmaps it.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  const size_t size = (size_t)(1 * MEGABYTE);
  FILE* file = tmpfile();
  char* content = touched(size);
  if (!file) return 1;
  off_t end = 0;
  unsigned long sum = 0;
  while (pace_tick(&pace)) {
    if (!pace_every(&pace, 1.0 / 150)) continue;
    if (fwrite(content, 1, size, file) != size || fflush(file) != 0) return 1;
    const volatile char* mapping = mmap(NULL, size, PROT_READ, MAP_SHARED, fileno(file), end);
    if (mapping == MAP_FAILED) return 1;
    for (size_t i = 0; i < size; i += 4096) sum += (unsigned char)mapping[i];
    end += (off_t)size;
  }
  return sum == 0;
}
