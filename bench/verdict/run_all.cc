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

// A terminal's line is written over, a log gets a new one.
void show_progress(std::size_t done, std::size_t count, double seconds, bool terminal) {
  const double left =
      done > 0 ? seconds * static_cast<double>(count - done) / static_cast<double>(done) : 0;
  fmt::print(stderr, "{}{} of {} series, {:.0f} s, {:.0f} s left {}", terminal ? "\r" : "", done,
             count, seconds, left, terminal && done < count ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace

void run_all(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
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
    if (now < count) show_progress(now, count, elapsed(), terminal);
  }
  for (auto& thread : others) thread.join();
  show_progress(done, count, elapsed(), terminal);
}

}  // namespace tidegauge::bench
