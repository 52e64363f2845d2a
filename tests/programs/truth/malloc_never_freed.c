// SPDX-License-Identifier: Apache-2.0
#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(40 * MEGABYTE));
  while (pace_tick(&pace)) touched(pace_share(&pace, 150));
  return 0;
}
