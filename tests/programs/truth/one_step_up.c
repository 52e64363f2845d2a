// SPDX-License-Identifier: Apache-2.0
// A second model is loaded in the middle of the run.
#include "pace.h"

int main(int argc, char** argv) {
  struct pace pace = pace_begin(argc, argv);
  touched((size_t)(90 * MEGABYTE));
  void* model = NULL;
  while (pace_tick(&pace))
    if (!model && pace_part(&pace) > 0.4) model = touched((size_t)(70 * MEGABYTE));
  return model == NULL;
}
