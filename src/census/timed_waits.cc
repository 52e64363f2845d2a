// SPDX-License-Identifier: Apache-2.0
#include "census/timed_waits.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "census/aside.h"
#include "census/memory.h"

namespace tidegauge::census {

namespace {

// A stop lasts for some 25 ms per GB that is copied.
constexpr double kStopMs = 100;
// One that takes longer is not waited for: a stop seldom hits its end.
constexpr double kLongestMs = 2000;
// A process of thousands of threads would take longer to look at than to stop.
constexpr std::size_t kMostThreads = 512;
constexpr long kNapNs = 500'000;

std::vector<pid_t> first_threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(fmt::format("/proc/{}/task", pid).c_str()), ::closedir);
  if (!folder) return threads;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (threads.size() == kMostThreads) break;
    if (const auto tid = static_cast<pid_t>(std::atoi(entry->d_name)); tid > 0) {
      threads.push_back(tid);
    }
  }
  return threads;
}

std::string line_of(pid_t pid, pid_t tid) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/syscall", pid, tid));
  std::string line;
  std::getline(in, line);
  return line;
}

std::uint64_t switches_of(pid_t pid, pid_t tid) {
  std::ifstream in(fmt::format("/proc/{}/task/{}/status", pid, tid));
  for (std::string word; in >> word;) {
    std::uint64_t count = 0;
    if (word == "voluntary_ctxt_switches:" && in >> count) return count;
  }
  return 0;
}

}  // namespace

std::optional<std::uint64_t> timeout_of_wait(const char* line) {
  char* rest = nullptr;
  if (std::strtol(line, &rest, 10) != SYS_rt_sigtimedwait || rest == line) return {};
  std::uint64_t timeout = 0;
  for (int argument = 0; argument < 3; ++argument) {  // the set, where the answer goes, the timeout
    char* const from = rest;
    timeout = std::strtoull(from, &rest, 16);
    if (rest == from) return {};
  }
  return timeout != 0 ? std::optional(timeout) : std::nullopt;
}

bool TimedWaits::may_be_stopped(pid_t tid) {
  const auto at = timeout_of_wait(line_of(pid_, tid).c_str());
  if (!at) return true;
  const auto timeout = ProcessMemory(pid_).get<timespec>(*at);
  if (!timeout) return true;
  const double ms =
      static_cast<double>(timeout->tv_sec) * 1e3 + static_cast<double>(timeout->tv_nsec) / 1e6;
  const auto switches = switches_of(pid_, tid);
  auto& seen = seen_.try_emplace(tid, Seen{.switches = switches}).first->second;
  if (seen.switches != switches) seen = {.switches = switches, .since_ms = looked_ms_};
  if (seen.since_ms == 0) return ms > kLongestMs;
  const double left_ms = seen.since_ms + ms - now_ms();
  // A wait that is shorter than a stop is at its best when it has just begun.
  return left_ms > kStopMs || (ms <= kStopMs && left_ms > ms / 2);
}

void TimedWaits::let_pass() {
  const double until_ms = now_ms() + kLongestMs;
  while (true) {
    const double looking_ms = now_ms();
    bool may = true;
    for (const auto tid : first_threads_of(pid_)) may = may_be_stopped(tid) && may;
    looked_ms_ = looking_ms;
    if (may || looking_ms > until_ms) return;
    const timespec nap{0, kNapNs};
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace tidegauge::census
