// SPDX-License-Identifier: Apache-2.0
// Requests of random size at random times; one in three is never answered, and its session stays.
#include <memory>
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  std::vector<std::vector<char>> sessions;
  std::vector<char> working;
  while (pace_tick(&pace)) {
    if (pace_random(&pace) > 0.3) continue;
    const auto size = pace_share(&pace, 1000);
    std::vector<char> session(
        static_cast<std::size_t>(2 * pace_random(&pace) * static_cast<double>(size)), 1);
    working.assign(session.size() * 4, 1);
    if (pace_random(&pace) < 0.33) sessions.push_back(std::move(session));
  }
  return 0;
}
