// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace tidegauge::census {

// Enough to be done soon; more would be taken from the job beside us.
inline std::size_t threads_to_use() {
  constexpr std::size_t kMost = 4;
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMost);
}

// How many parts `count` things make.
inline std::size_t parts_of(std::size_t count, std::size_t threads) {
  constexpr std::size_t kFewest = 16;  // in a part: a thread costs some tens of microseconds
  return std::clamp<std::size_t>(count / kFewest, 1, std::max<std::size_t>(threads, 1));
}

// Calls `work(part, first, end)` for neighbouring parts of `count` things, at the same time. What
// one of them throws is thrown here once all have ended.
template <class Work>
void in_parts(std::size_t count, std::size_t threads, Work work) {
  const auto parts = parts_of(count, threads);
  std::vector<std::future<void>> others;
  for (std::size_t part = 1; part < parts; ++part) {
    others.push_back(std::async(std::launch::async, work, part, count * part / parts,
                                count * (part + 1) / parts));
  }
  work(std::size_t(0), std::size_t(0), count / parts);
  for (auto& other : others) other.get();
}

}  // namespace tidegauge::census
