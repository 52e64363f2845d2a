// SPDX-License-Identifier: Apache-2.0
// GPU memory by device and by process, through NVIDIA's management library where there is one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proc/roots.h"
#include "record/sample.h"

namespace tidegauge::proc {

struct GpuReading {
  std::vector<record::Gpu> devices{};
  // On all devices together. A process whose memory the driver does not tell is not in here, nor is
  // one that we cannot see: in a pid namespace the driver may speak of the host's pids.
  std::map<pid_t, std::uint64_t> by_pid{};
};

class GpuReader {
 public:
  // Loads `library` ("libnvidia-ml.so.1") and starts it up. Unsupported: no such library, no driver
  // behind it, or no device. The library is not quiet: seen with driver 580 on an H200, it takes 23
  // to 39 ms and 15 MiB, starts a thread and keeps 14 files open (6 of them after its shutdown). It
  // may take longer where devices sleep. Nothing of this happens where there is no library, so load
  // it when somebody uses a GPU (GpuUse).
  static Result<GpuReader> load(const std::string& library, const Roots& roots = {});
  // Whether there is such a library: nothing of it is called or kept.
  static bool is_there(const std::string& library);
  GpuReader(GpuReader&&) noexcept;
  GpuReader& operator=(GpuReader&&) noexcept;
  ~GpuReader();

  // 27 us for one process on one device; 57 us in a pid namespace.
  GpuReading read();

 private:
  struct State;
  explicit GpuReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::proc
