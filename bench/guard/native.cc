// SPDX-License-Identifier: Apache-2.0
// A job of bench/guard that is no Python: native FOLDER LIMIT_MIB STEPS SEED. It leaks huge pages,
// listens through record/ask.h as any program can, and its work is a chain of numbers.
// native FOLDER LIMIT_MIB STEPS SEED MANNER MIB PAUSE_MS takes so much in each step instead, by
// "populate", "memset", "read" or "huge".
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "record/ask.h"

namespace {

constexpr std::size_t kMiB = 1 << 20;
constexpr int kOwnCheckpointEvery = 100;

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void leak(std::size_t bytes, const std::string& manner) {
  const int populate = manner == "populate" ? MAP_POPULATE : 0;
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | populate, -1, 0);
  if (block == MAP_FAILED) std::exit(1);
  if (manner == "huge") madvise(block, bytes, MADV_HUGEPAGE);
  if (manner == "huge" || manner == "memset") std::memset(block, 1, bytes);
  if (manner != "read") return;
  const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  for (std::size_t at = 0; at < bytes;) {
    const ssize_t got = read(zero, static_cast<char*>(block) + at, bytes - at);
    if (got <= 0) std::exit(4);
    at += static_cast<std::size_t>(got);
  }
  close(zero);
}

std::string save(const std::string& folder, int step, std::uint64_t state) {
  const auto path = folder + "/state-" + std::to_string(step) + ".json";
  std::FILE* const file = std::fopen((path + ".new").c_str(), "w");
  if (file == nullptr) return {};
  std::fprintf(file, "%d %" PRIu64 "\n", step, state);
  if (std::fclose(file) != 0 || std::rename((path + ".new").c_str(), path.c_str()) != 0) return {};
  return path;
}

std::uint64_t start_ticks() {
  unsigned long long ticks = 0;
  std::FILE* const file = std::fopen("/proc/self/stat", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file,
                  "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
                  "%*d %*d %*d %llu",
                  &ticks) != 1)
    ticks = 0;
  std::fclose(file);
  return ticks;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5 && count != 8) return 2;
  const std::string manner = count == 8 ? words[5] : "huge";
  const std::string folder = words[1];
  const int steps = std::atoi(words[3]);
  const auto seed = static_cast<unsigned>(std::atoi(words[4]));
  const std::size_t each =
      count == 8 ? static_cast<std::size_t>(std::atoi(words[6])) * kMiB : (1 + seed % 3) * 2 * kMiB;
  const long pause_ms = count == 8 ? std::atol(words[7]) : 5 + static_cast<long>(seed % 8);
  auto* const page = tidegauge_ask_open(std::getenv(tidegauge_ask_variable()));
  auto* const mine =
      page != nullptr ? tidegauge_ask_listen(page, start_ticks(), now_ns()) : nullptr;
  std::uint64_t seen = page != nullptr ? tidegauge_ask_number(tidegauge_ask_request(page)) : 0;
  int first = 0;
  std::uint64_t state = 0;
  if (const char* const resume = std::getenv("TIDEGAUGE_RESUME")) {
    std::FILE* const file = std::fopen(resume, "r");
    if (file == nullptr || std::fscanf(file, "%d %" SCNu64, &first, &state) != 2) return 1;
    std::fclose(file);
  }
  std::FILE* const done = std::fopen((folder + "/steps").c_str(), "a");
  if (done == nullptr) return 1;
  for (int step = first + 1; step <= steps; ++step) {
    leak(each, manner);
    const timespec pause{0, 1'000'000 * pause_ms};
    nanosleep(&pause, nullptr);
    state = state * 6364136223846793005ULL + static_cast<std::uint64_t>(step);
    std::fprintf(done, "%d\n", step);
    std::fflush(done);
    const auto request = page != nullptr ? tidegauge_ask_request(page) : 0;
    if (mine != nullptr && tidegauge_ask_number(request) != seen) {
      seen = tidegauge_ask_number(request);
      const auto path = save(folder, step, state);
      const tidegauge_answer answer{path.empty() ? TIDEGAUGE_NOT_SAVED : TIDEGAUGE_SAVED,
                                    seen,
                                    step,
                                    0,
                                    0,
                                    path.c_str(),
                                    now_ns()};
      tidegauge_ask_answer(mine, &answer);
      if (!path.empty() && tidegauge_ask_want(request) == TIDEGAUGE_SAVE_AND_STOP) return 0;
    } else if (step % kOwnCheckpointEvery == 0) {
      save(folder, step, state);
    }
  }
  std::fclose(done);
  std::FILE* const result = std::fopen((folder + "/result").c_str(), "w");
  if (result == nullptr) return 1;
  std::fprintf(result, "%" PRIu64, state);
  return std::fclose(result);
}
