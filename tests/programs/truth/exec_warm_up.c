// SPDX-License-Identifier: Apache-2.0
// Warms up, starts itself anew in the middle of the run, and warms up again.
#include <stdio.h>
#include <unistd.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(30 * MEGABYTE));
  const int second_life = argc > 3;
  const double warm_until = second_life ? 0.3 : 0.15;
  while (pace_tick(&pace)) {
    if (pace_part(&pace) < warm_until) touched(pace_share(&pace, 100 / warm_until));
    if (second_life || pace_part(&pace) < 0.5) continue;
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%g", pace.seconds / 2);
    char* words[] = {argv[0], seconds, argc > 2 ? argv[2] : "1", "again", NULL};
    execv("/proc/self/exe", words);
    return 1;
  }
  return 0;
}
