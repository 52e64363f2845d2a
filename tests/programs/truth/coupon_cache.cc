// SPDX-License-Identifier: Apache-2.0
// Each key is computed once and kept; keys come at random, so the last ones take long.
#include <unordered_map>
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  constexpr int kKeys = 600;
  std::unordered_map<int, std::vector<char>> known;
  double due = 0;
  while (pace_tick(&pace))
    for (due += 9.0 * kKeys / static_cast<double>(pace.ticks); due >= 1; --due) {
      auto& value = known[static_cast<int>(kKeys * pace_random(&pace))];
      if (value.empty()) value.assign(180000, 1);
    }
  return 0;
}
