// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tidegauge::bench {

// Calls work(0) … work(count-1), each once, on this thread and `threads` - 1 others. Quiet: for
// inner loops (run_all shows progress).
template <class Work>
void in_parallel(std::size_t count, unsigned threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto work_on = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work_on);
  work_on();
  for (auto& thread : others) thread.join();
}

}  // namespace tidegauge::bench
