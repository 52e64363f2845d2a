// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <future>
#include <system_error>
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

// Calls `work(part, first, end)` for neighbouring parts of `count` things, at the same time; as far
// as threads cannot be had (a limit on processes), one after the other. What one of them throws is
// thrown here once all have ended.
template <class Work>
void in_parts(std::size_t count, std::size_t threads, Work work) {
  const auto parts = parts_of(count, threads);
  const auto begin_of = [&](std::size_t part) { return count * part / parts; };
  std::vector<std::future<void>> others;
  others.reserve(parts);
  std::size_t part = 1;
  try {
    for (; part < parts; ++part) {
      others.push_back(
          std::async(std::launch::async, work, part, begin_of(part), begin_of(part + 1)));
    }
  } catch (const std::system_error&) {
    for (; part < parts; ++part) work(part, begin_of(part), begin_of(part + 1));
  }
  work(std::size_t(0), std::size_t(0), count / parts);
  for (auto& other : others) other.get();
}

}  // namespace tidegauge::census
