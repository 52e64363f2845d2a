// SPDX-License-Identifier: Apache-2.0
// Maps a file again and again, reads it through, and never unmaps it.
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  const size_t size = (size_t)(1 * MEGABYTE);
  FILE* file = tmpfile();
  char* content = touched(size);
  if (!file || fwrite(content, 1, size, file) != size || fflush(file) != 0) return 1;
  unsigned long sum = 0;
  while (pace_tick(&pace)) {
    if (!pace_every(&pace, 1.0 / 150)) continue;
    const volatile char* mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (mapping == MAP_FAILED) return 1;
    for (size_t i = 0; i < size; i += 4096) sum += (unsigned char)mapping[i];
  }
  return sum == 0;
}
