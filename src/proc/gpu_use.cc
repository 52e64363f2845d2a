// SPDX-License-Identifier: Apache-2.0
#include "proc/gpu_use.h"

#include <algorithm>

#include "base/clock.h"

namespace tidegauge::proc {

namespace {

// libcuda takes 100 MB of address space, a context many GB, a library for graphics 30 MB.
constexpr std::uint64_t kNoticeableBytes = 16 << 20;
constexpr double kSoonestSeconds = 0.95;
constexpr double kLatestSeconds = 60;
constexpr double kShareOfACore = 0.00002;  // for one process

std::int64_t after(std::int64_t now_ns, double seconds) {
  return now_ns + static_cast<std::int64_t>(seconds * 1e9);
}

bool is_gpu(const std::string& path) {
  return path.starts_with("/dev/nvidia") || path == "/dev/dxg";  // the latter in Windows' Linux
}

}  // namespace

Result<bool> has_gpu_open(const Root& root, pid_t pid, const std::string& folder) {
  const auto fds = root.list(pid, folder + "fd");
  if (!fds) return fds.error();
  return std::any_of(fds->begin(), fds->end(), [&](const std::string& fd) {
    const auto target = root.read_link(pid, folder + "fd/" + fd);
    return target && is_gpu(*target);
  });
}

bool GpuUse::is_due(std::int64_t now_ns, std::uint64_t size_bytes) const {
  if (now_ns < not_before_ns_) return false;
  return now_ns >= again_ns_ || size_bytes >= largest_bytes_ + kNoticeableBytes;
}

bool GpuUse::look(const Root& root, pid_t pid, const std::string& folder, std::uint64_t size_bytes,
                  std::int64_t now_ns) {
  const CpuClock clock;
  const auto uses = has_gpu_open(root, pid, folder);
  const double affordable = clock.seconds() / kShareOfACore;
  not_before_ns_ = after(now_ns, std::max(kSoonestSeconds, affordable));
  again_ns_ = after(now_ns, std::max(kLatestSeconds, affordable));
  largest_bytes_ = std::max(largest_bytes_, size_bytes);
  return uses ? *uses : uses.error().reason == Reason::Denied;
}

}  // namespace tidegauge::proc
