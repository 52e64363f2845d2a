// SPDX-License-Identifier: Apache-2.0
// Work areas that grow to the largest request so far and are never made smaller.
#include <cmath>
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  std::vector<std::vector<char>> areas(16);
  while (pace_tick(&pace)) {
    if (!pace_every(&pace, 1.0 / 400)) continue;
    auto& area = areas[static_cast<std::size_t>(pace_random(&pace) * 16)];
    const double need = 4 * MEGABYTE * (1 - std::exp(-3 * pace_random(&pace)));
    if (area.size() < static_cast<std::size_t>(need))
      area.resize(static_cast<std::size_t>(need), 1);
  }
  return 0;
}
