// SPDX-License-Identifier: Apache-2.0
#include "proc/rare_counts.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "proc/cpu_clock.h"
#include "proc/maps_reader.h"

namespace tidegauge::proc {

namespace {

// The size of PID/fd is the number of descriptors since Linux 6.2: 4 us. maps: 60 us for 200
// mappings, 600 for 5000.
constexpr double kFdsEverySeconds = 10;
constexpr double kVmasEverySeconds = 60;
constexpr double kShareOfACore = 0.00002;  // for one count of one process

std::int64_t due_after(std::int64_t now_ns, double every_seconds, double cost_seconds) {
  const double wait = std::max(every_seconds, cost_seconds / kShareOfACore);
  return now_ns + static_cast<std::int64_t>(wait * 1e9);
}

}  // namespace

Result<> RareCounts::look(const Files& files, pid_t pid, const std::string& folder,
                          std::int64_t now_ns) {
  std::optional<Error> failed;
  if (now_ns >= fds_due_ns_) {
    const CpuClock clock;
    if (const auto done = count_fds(files, pid); !done) failed = done.error();
    fds_due_ns_ = due_after(now_ns, kFdsEverySeconds, clock.seconds());
  }
  if (now_ns >= vmas_due_ns_) {
    const CpuClock clock;
    if (const auto done = count_vmas(files, pid, folder); !done) failed = done.error();
    vmas_due_ns_ = due_after(now_ns, kVmasEverySeconds, clock.seconds());
  }
  if (failed) return *failed;
  return Ok{};
}

Result<> RareCounts::count_fds(const Files& files, pid_t pid) {
  if (const auto folder = files.root().open_file(pid, "fd")) {
    struct stat info {};
    if (::fstat(folder->get(), &info) == 0 && info.st_size > 0) {
      fds_ = static_cast<std::uint64_t>(info.st_size);
      return Ok{};
    }
  }
  const auto names = files.root().list(pid, "fd");
  if (!names) return names.error();
  fds_ = names->size();
  return Ok{};
}

Result<> RareCounts::count_vmas(const Files& files, pid_t pid, const std::string& folder) {
  const auto count = count_mappings(files.root(), pid, folder + "maps");
  if (!count) return count.error();
  vmas_ = *count;
  return Ok{};
}

}  // namespace tidegauge::proc
