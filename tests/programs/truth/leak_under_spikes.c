// SPDX-License-Identifier: Apache-2.0
// A slow leak under evaluations that are larger than all of it.
#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(50 * MEGABYTE));
  void* evaluation = NULL;
  double ends = 0;
  while (pace_tick(&pace)) {
    touched(pace_share(&pace, 70));
    if (!evaluation && pace_every(&pace, 1.0 / 14)) {
      evaluation = touched((size_t)((100 + 60 * pace_random(&pace)) * MEGABYTE));
      ends = pace_part(&pace) + 1.0 / 60;
    }
    if (evaluation && pace_part(&pace) > ends) {
      free(evaluation);
      evaluation = NULL;
    }
  }
  return 0;
}
