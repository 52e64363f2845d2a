// SPDX-License-Identifier: Apache-2.0
// A program that feels it when somebody holds its address space: with much memory resident it maps,
// touches and unmaps 256 KB over and over and measures how long each round takes.
//
//   bench_stall [--resident BYTES] [--mappings N] [--huge] [--cpu N]
//
// Prints "ready PID", then for each line "measure SECONDS" on stdin one line of JSON, times in
// microseconds; ends at end of file. `blocked` is the part of a round in which it neither ran nor
// waited for a core, so it waited for a lock: unlike the round's whole time it does not depend on
// what else the machine does.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRoundBytes = 256 << 10;
constexpr std::size_t kPageBytes = 4096;

struct Options {
  std::uint64_t resident_bytes = 1ull << 30;
  std::uint64_t mappings = 1;
  bool huge = false;
  std::optional<int> cpu{};
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--huge") {
      options.huge = true;
      continue;
    }
    if (i + 1 == argc) return {};
    const std::string value = argv[++i];
    const auto bytes = tidegauge::parse_bytes(value);
    const auto number = tidegauge::to_number<int>(value);
    if (word == "--resident" && bytes) {
      options.resident_bytes = *bytes;
    } else if (word == "--mappings" && number && *number > 0) {
      options.mappings = static_cast<std::uint64_t>(*number);
    } else if (word == "--cpu" && number) {
      options.cpu = *number;
    } else {
      return {};
    }
  }
  return options;
}

void touch(char* memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kPageBytes) memory[at] = 1;
}

bool make_resident(const Options& options) {
  const auto each = options.resident_bytes / options.mappings / kPageBytes * kPageBytes;
  for (std::uint64_t i = 0; i < options.mappings; ++i) {
    // The page in between without access keeps neighbours from becoming one mapping.
    void* memory = ::mmap(nullptr, each + kPageBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    ::mprotect(static_cast<char*>(memory) + each, kPageBytes, PROT_NONE);
    ::madvise(memory, each, options.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    touch(static_cast<char*>(memory), each);
  }
  return true;
}

struct Round {
  float wall_us = 0;
  float blocked_us = 0;
};

// Nanoseconds that this thread has run or waited for a core.
class OnOrForCore {
 public:
  double nanoseconds() const {
    timespec ran{};  // schedstat has this too, but only as of the last tick
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    return static_cast<double>(ran.tv_sec) * 1e9 + static_cast<double>(ran.tv_nsec) + waited();
  }

 private:
  double waited() const {
    char text[128];
    const ssize_t got = ::pread(fd_.get(), text, sizeof text, 0);
    std::string_view words(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    tidegauge::next_word(words);
    return tidegauge::to_number<double>(tidegauge::next_word(words)).value_or(0);
  }

  tidegauge::UniqueFd fd_{::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)};
};

void map_touch_unmap() {
  void* memory =
      ::mmap(nullptr, kRoundBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  touch(static_cast<char*>(memory), kRoundBytes);
  ::munmap(memory, kRoundBytes);
}

std::vector<Round> measure(double seconds) {
  std::vector<Round> rounds;
  rounds.reserve(static_cast<std::size_t>(seconds * 40000));  // twice what was ever seen
  const OnOrForCore core;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const double core_before = core.nanoseconds();
    const auto begin = Clock::now();
    map_touch_unmap();
    const double wall = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    const double on_core = (core.nanoseconds() - core_before) / 1e3;
    rounds.push_back({static_cast<float>(wall), static_cast<float>(std::max(wall - on_core, 0.0))});
  }
  return rounds;
}

// "NAME": {"p50": 71.2, ...}
void print(const char* name, std::vector<float> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(times.size()));
    return static_cast<double>(times[std::min(times.size() - 1, index)]);
  };
  const auto over = [&](float microseconds) {
    return times.end() - std::upper_bound(times.begin(), times.end(), microseconds);
  };
  std::printf(
      "\"%s\": {\"p50\": %.1f, \"p99\": %.1f, \"p99_9\": %.1f, \"p99_99\": %.1f, \"max\": %.1f, "
      "\"over_1ms\": %td, \"over_5ms\": %td}",
      name, at(0.5), at(0.99), at(0.999), at(0.9999), at(1), over(1000), over(5000));
}

void print(const std::vector<Round>& rounds, double seconds) {
  std::vector<float> wall, blocked;
  for (const auto& round : rounds) wall.push_back(round.wall_us);
  for (const auto& round : rounds) blocked.push_back(round.blocked_us);
  std::printf("{\"rounds_per_second\": %.0f, ", static_cast<double>(rounds.size()) / seconds);
  print("wall", std::move(wall));
  std::printf(", ");
  print("blocked", std::move(blocked));
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    std::fputs("bench_stall [--resident BYTES] [--mappings N] [--huge] [--cpu N]\n", stderr);
    return 2;
  }
  if (options->cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(*options->cpu), &set);
    ::sched_setaffinity(0, sizeof set, &set);
  }
  if (!make_resident(*options)) {
    std::perror("bench_stall: mmap");
    return 3;
  }
  std::printf("ready %d\n", static_cast<int>(::getpid()));
  std::fflush(stdout);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string_view words = line;
    if (tidegauge::next_word(words) != "measure") return 2;
    const auto seconds = tidegauge::to_number<double>(tidegauge::next_word(words)).value_or(1);
    const auto rounds = measure(seconds);
    if (rounds.empty()) return 3;
    print(rounds, seconds);
  }
  return 0;
}
