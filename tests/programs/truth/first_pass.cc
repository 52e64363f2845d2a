// SPDX-License-Identifier: Apache-2.0
// A data set that keeps each example's pixels from the first time it is read: the incident.
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  constexpr std::size_t kExamples = 600;
  constexpr double kPass = 0.22;  // of the run
  std::vector<std::vector<char>> pixels(kExamples);
  double read = 0;
  while (pace_tick(&pace)) {
    for (read += kExamples / (kPass * static_cast<double>(pace.ticks)); read >= 1; --read) {
      static std::size_t next = 0;
      auto& example = pixels[next++ % kExamples];
      if (example.empty()) example.assign(256 * 1024, 1);
    }
  }
  return 0;
}
