// SPDX-License-Identifier: Apache-2.0
// The example of docs/marks.md: a training loop that tells the gauge what it does. It says on
// stdout whether anybody listens, and does its work either way.
#include <stdio.h>
#include <tidegauge/mark.h>

long in_another_file(long step);

static void evaluate(void) {
  tidegauge_phase_begin("eval");
  tidegauge_note("evaluating on a held-out set whose name is longer than what fits into one slot");
  tidegauge_phase_end("eval");
}

int main(void) {
  long step = 0;
  for (long epoch = 1; epoch <= 2; ++epoch) {
    tidegauge_epoch(epoch);
    for (int batch = 0; batch < 10; ++batch) {
      ++step;
      tidegauge_step(step);
    }
    tidegauge_distinct(10, 10);
    evaluate();
  }
  step = in_another_file(step);
  printf("%ld steps, %s\n", step, tidegauge_watched() ? "watched" : "alone");
  return 0;
}
