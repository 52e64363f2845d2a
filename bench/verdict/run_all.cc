// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/run_all.h"

#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace tidegauge::bench {
namespace {

void show_progress(std::size_t done, std::size_t count, double seconds) {
  const double left =
      done > 0 ? seconds * static_cast<double>(count - done) / static_cast<double>(done) : 0;
  fmt::print(stderr, "\r{} of {} series, {:.0f} s, {:.0f} s left ", done, count, seconds, left);
  if (done == count) fmt::print(stderr, "\n");
  std::fflush(stderr);
}

}  // namespace

void run_all(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  const auto work_on = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
      ++done;
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work_on);
  // This thread works too and shows how far all are: every 1 % on a terminal, every 20 % elsewhere.
  const std::size_t shows = terminal ? 100 : 5;
  std::size_t shown = 0;
  for (std::size_t i = next++; i < count; i = next++) {
    work(i);
    const std::size_t now = ++done;
    if (now * shows / count == shown) continue;
    shown = now * shows / count;
    show_progress(now, count, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  for (auto& thread : others) thread.join();
  show_progress(done, count, std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace tidegauge::bench
