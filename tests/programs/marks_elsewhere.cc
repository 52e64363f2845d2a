// SPDX-License-Identifier: Apache-2.0
// Another file of the same program, in the other language: both use one ring.
#include <tidegauge/mark.h>

extern "C" long in_another_file(long step);

long in_another_file(long step) {
  tidegauge_step(step + 1);
  return step + 1;
}
