// SPDX-License-Identifier: Apache-2.0
// Parts of the program get their pools as they are first used.
#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(30 * MEGABYTE));
  const double when[] = {0.03, 0.05, 0.11, 0.2, 0.31};
  const double size[] = {40, 12, 25, 9, 18};
  size_t next = 0;
  while (pace_tick(&pace))
    if (next < 5 && pace_part(&pace) > when[next]) touched((size_t)(size[next++] * MEGABYTE));
  return 0;
}
