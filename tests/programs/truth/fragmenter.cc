// SPDX-License-Identifier: Apache-2.0
// Blocks from 16 bytes to 64 KB that live for very different times, always the same number of them.
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  std::vector<std::vector<char>> live(6000);
  double due = 0;
  while (pace_tick(&pace))
    for (due += 120000.0 / static_cast<double>(pace.ticks); due >= 1; --due) {
      // Squared: low places are replaced often, high ones seldom.
      const double place = pace_random(&pace);
      const double x = pace_random(&pace);
      const auto which = static_cast<std::size_t>(place * place * static_cast<double>(live.size()));
      std::vector<char>(static_cast<std::size_t>(16 + 64000 * x * x * x * x), 1).swap(live[which]);
    }
  return 0;
}
