// SPDX-License-Identifier: Apache-2.0
// Buffers of random size come and go, far larger than what leaks beside them.
#include <malloc.h>

#include <array>
#include <vector>

#include "pace.h"

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  // Kept fixed, glibc gives buffers above it back to the kernel at once; otherwise it learns to
  // keep them, and the leak would hide in what it keeps (leak_after_slack does that).
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  std::array<std::vector<char>, 8> buffers;
  std::vector<std::vector<char>> kept;
  while (pace_tick(&pace)) {
    const auto which = static_cast<std::size_t>(pace_random(&pace) * buffers.size());
    const double megabytes = 1 + 14 * pace_random(&pace);
    std::vector<char>(static_cast<std::size_t>(megabytes * MEGABYTE), 1).swap(buffers[which]);
    kept.emplace_back(pace_share(&pace, 80), 1);
  }
  return 0;
}
