// SPDX-License-Identifier: Apache-2.0
// Evaluations: a lot of memory for a short time, again and again.
#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(80 * MEGABYTE));
  void* evaluation = NULL;
  double ends = 0;
  while (pace_tick(&pace)) {
    if (!evaluation && pace_every(&pace, 0.09)) {
      evaluation = touched((size_t)((150 + 80 * pace_random(&pace)) * MEGABYTE));
      ends = pace_part(&pace) + 0.015;
    }
    if (evaluation && pace_part(&pace) > ends) {
      free(evaluation);
      evaluation = NULL;
    }
  }
  return 0;
}
