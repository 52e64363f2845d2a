// SPDX-License-Identifier: Apache-2.0
// Leaks, starts itself anew in the middle of the run, and leaks again.
#include <stdio.h>
#include <unistd.h>

#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(60 * MEGABYTE));
  const int second_life = argc > 3;
  while (pace_tick(&pace)) {
    touched(pace_share(&pace, second_life ? 75 : 150));
    if (second_life || pace_part(&pace) < 0.5) continue;
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%g", pace.seconds / 2);
    char* words[] = {argv[0], seconds, argc > 2 ? argv[2] : "1", "again", NULL};
    execv("/proc/self/exe", words);
    return 1;
  }
  return 0;
}
