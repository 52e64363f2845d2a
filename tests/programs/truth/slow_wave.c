// SPDX-License-Identifier: Apache-2.0
// Load that comes and goes three times during the run, given back to the kernel each time.
#include <math.h>
#include <sys/mman.h>

#include "pace.h"

enum { kPieces = 320 };

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(60 * MEGABYTE));
  const size_t piece = (size_t)(0.25 * MEGABYTE);
  static void* pieces[kPieces];
  int held = 0;
  while (pace_tick(&pace)) {
    const int wanted = (int)(kPieces * 0.5 * (1 - cos(2 * 3.14159265 * 3.2 * pace_part(&pace))));
    while (held < wanted) {
      pieces[held] = mmap(NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (pieces[held] == MAP_FAILED) return 1;
      memset(pieces[held++], 1, piece);
    }
    while (held > wanted) munmap(pieces[--held], piece);
  }
  return 0;
}
