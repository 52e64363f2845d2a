// SPDX-License-Identifier: Apache-2.0
// Eight threads, each with a bounded set of blocks of random sizes that are replaced at random: the
// allocator's arenas and their fragmentation, no leak.
#include <thread>
#include <vector>

#include "pace.h"

namespace {

void work(pace pace) {
  std::vector<std::vector<char>> live(400);
  double due = 0;
  while (pace_tick(&pace))
    for (due += 30000.0 / static_cast<double>(pace.ticks); due >= 1; --due) {
      const auto which =
          static_cast<std::size_t>(pace_random(&pace) * static_cast<double>(live.size()));
      const double x = pace_random(&pace);
      std::vector<char>(static_cast<std::size_t>(100 + 60000 * x * x * x), 1).swap(live[which]);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const pace main_pace = pace_begin(argc, argv);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    pace own = main_pace;
    own.random += 1000003u * i;
    threads.emplace_back(work, own);
  }
  for (auto& thread : threads) thread.join();
  return 0;
}
