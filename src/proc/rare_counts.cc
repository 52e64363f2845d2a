// SPDX-License-Identifier: Apache-2.0
#include "proc/rare_counts.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/clock.h"
#include "proc/maps_reader.h"

namespace tidegauge::proc {

namespace {

// The size of PID/fd is the number of descriptors since Linux 6.2: 4 us. maps: 60 us for 200
// mappings, 600 for 5000.
constexpr double kFdsEverySeconds = 60;
constexpr double kVmasEverySeconds = 60;
constexpr double kVmasOfTheSameSizeEverySeconds = 600;
constexpr double kShareOfACore = 0.00002;  // for one count of one process

std::int64_t due_after(std::int64_t now_ns, double every_seconds, double cost_seconds) {
  const double wait = std::max(every_seconds, cost_seconds / kShareOfACore);
  return now_ns + static_cast<std::int64_t>(wait * 1e9);
}

Result<std::uint64_t> number_of_fds(const Root& root, pid_t pid) {
  if (const auto folder = root.open_file(pid, "fd")) {
    struct stat info {};
    if (::fstat(folder->get(), &info) == 0 && info.st_size > 0) {
      return static_cast<std::uint64_t>(info.st_size);
    }
  }
  const auto names = root.list(pid, "fd");
  if (!names) return names.error();
  return std::uint64_t{names->size()};
}

}  // namespace

Result<> RareCounts::count_fds(const Files& files, pid_t pid, std::int64_t now_ns) {
  const CpuClock clock;
  const auto count = number_of_fds(files.root(), pid);
  fds_due_ns_ = due_after(now_ns, kFdsEverySeconds, clock.seconds());
  if (!count) return count.error();
  fds_ = *count;
  return Ok{};
}

bool RareCounts::vmas_due(std::int64_t now_ns, std::uint64_t size_bytes) const {
  return now_ns >= (size_bytes == counted_size_bytes_ ? same_size_due_ns_ : vmas_due_ns_);
}

Result<> RareCounts::count_vmas(const Files& files, pid_t pid, const std::string& folder,
                                std::uint64_t size_bytes, std::int64_t now_ns) {
  const CpuClock clock;
  const auto count = count_mappings(files.root(), pid, folder + "maps");
  vmas_due_ns_ = due_after(now_ns, kVmasEverySeconds, clock.seconds());
  same_size_due_ns_ = due_after(now_ns, kVmasOfTheSameSizeEverySeconds, clock.seconds());
  counted_size_bytes_ = size_bytes;
  if (!count) return count.error();
  vmas_ = *count;
  return Ok{};
}

}  // namespace tidegauge::proc
