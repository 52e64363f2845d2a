// SPDX-License-Identifier: Apache-2.0
// A job to watch: one process with much memory and some workers with less, all of it resident.
//   bench_tree MAIN_BYTES WORKERS WORKER_BYTES     for example: bench_tree 4GB 24 250MB
// Says "ready PID" once every page is touched, then waits for the end of its stdin and takes all
// workers with it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/units.h"

namespace {

// What a Python process with torch has, about.
constexpr std::uint64_t kMappings = 200;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

// Makes `bytes` resident, in kMappings mappings with a guard page between each two.
void occupy(std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto each = std::max(bytes / kMappings / page, std::uint64_t{1}) * page;
  for (std::uint64_t done = 0; done < bytes; done += each) {
    void* block = ::mmap(nullptr, each + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) give_up("mmap");
    if (::mprotect(block, each, PROT_READ | PROT_WRITE) != 0) give_up("mprotect");
    auto* bytes_of_block = static_cast<volatile char*>(block);
    for (std::uint64_t offset = 0; offset < each; offset += page) bytes_of_block[offset] = 1;
  }
}

// Ends when the parent does: nobody else holds the other end of `leash`.
[[noreturn]] void work(std::uint64_t bytes, int leash, int done) {
  occupy(bytes);
  if (::write(done, "x", 1) != 1) ::_exit(1);
  char unused = 0;
  while (::read(leash, &unused, 1) > 0) {
  }
  ::_exit(0);
}

void start_workers(std::uint64_t count, std::uint64_t bytes) {
  int leash[2];
  int done[2];
  if (::pipe(leash) != 0 || ::pipe(done) != 0) give_up("pipe");
  for (std::uint64_t started = 0; started < count; ++started) {
    const pid_t pid = ::fork();
    if (pid < 0) give_up("fork");
    if (pid == 0) {
      ::close(leash[1]);
      work(bytes, leash[0], done[1]);
    }
  }
  ::close(done[1]);
  ::close(leash[0]);
  char unused = 0;
  for (std::uint64_t ready = 0; ready < count; ++ready) {
    if (::read(done[0], &unused, 1) != 1) give_up("a worker ended early");
  }
  ::close(done[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const auto main_bytes = argc == 4 ? tidegauge::parse_bytes(argv[1]) : std::nullopt;
  const auto workers = argc == 4 ? tidegauge::parse_bytes(argv[2]) : std::nullopt;
  const auto worker_bytes = argc == 4 ? tidegauge::parse_bytes(argv[3]) : std::nullopt;
  if (!main_bytes || !workers || !worker_bytes) {
    fmt::print(stderr, "usage: bench_tree MAIN_BYTES WORKERS WORKER_BYTES\n");
    return 2;
  }
  start_workers(*workers, *worker_bytes);
  occupy(*main_bytes);
  fmt::print("ready {}\n", ::getpid());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
