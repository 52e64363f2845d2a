// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "proc/root.h"

namespace tidegauge::proc {

// True if the process has a GPU open. `folder`: "" or "task/TID/". Denied: not ours to know.
Result<bool> has_gpu_open(const Root& root, pid_t pid, const std::string& folder = {});

// When to ask one process whether it has begun to use a GPU, which is what it costs 15 MiB of our
// own to be told more of. Its open files tell (2 us each); it is asked when it is new, when its
// address space has become larger than it ever was by what a driver's library takes, and now and
// then.
class GpuUse {
 public:
  bool is_due(std::int64_t now_ns, std::uint64_t size_bytes) const;
  // True: it uses one, or is not ours to know.
  bool look(const Root& root, pid_t pid, const std::string& folder, std::uint64_t size_bytes,
            std::int64_t now_ns);

 private:
  std::int64_t not_before_ns_ = 0;
  std::int64_t again_ns_ = 0;
  std::uint64_t largest_bytes_ = 0;  // that was looked at
};

}  // namespace tidegauge::proc
