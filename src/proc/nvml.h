// SPDX-License-Identifier: Apache-2.0
// What we use of NVIDIA's management library, declared from its public documentation: we build
// without its header and run without the library.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidegauge::proc::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kInsufficientSize =
    7;  // the list did not fit: count says how many there are

using Device = void*;

struct Memory {  // nvmlMemory_t, in bytes
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;  // with what the driver keeps for itself
};

using Init = Return (*)();      // nvmlInit_v2
using Shutdown = Return (*)();  // nvmlShutdown
using DeviceCount = Return (*)(unsigned*);
using DeviceByIndex = Return (*)(unsigned, Device*);
using MemoryInfo = Return (*)(Device, Memory*);
// The list is of a struct whose layout depends on the driver: see parse_processes().
using RunningProcesses = Return (*)(Device, unsigned*, void*);

// The largest of the layouts below.
inline constexpr std::size_t kLargestStride = 32;
// What a buffer is filled with before the driver writes into it.
inline constexpr std::byte kUntouched{0xA5};

struct ProcessMemory {
  pid_t pid = 0;
  std::optional<std::uint64_t> bytes{};  // empty: "not available" (all bits set)

  bool operator==(const ProcessMemory&) const = default;
};

// Reads the list that nvmlDeviceGet{Compute,Graphics}RunningProcesses{,_v2,_v3} left in `buffer`,
// which has room for `capacity` entries of the largest layout and was filled with kUntouched. All
// layouts begin with
//   unsigned pid; unsigned long long usedGpuMemory;                              (16 bytes: v1)
//   + unsigned gpuInstanceId, computeInstanceId;                                 (24: v2, most v3)
//   + unsigned long long usedGpuCcProtectedMemory;                               (32: v3 of R535)
// and drivers were seen to use each of them under the name _v3 (R535 changed it without a new name,
// and changed it back), so the name tells nothing: how far the driver has written does.
std::vector<ProcessMemory> parse_processes(std::span<const std::byte> buffer, unsigned count,
                                           unsigned capacity);

}  // namespace tidegauge::proc::nvml
