// SPDX-License-Identifier: Apache-2.0
#include "proc/nvml.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tidegauge::proc::nvml {

namespace {

constexpr std::size_t kStrides[] = {16, 24, 32};
constexpr std::size_t kUsualStride = 24;
constexpr std::size_t kMemoryOffset = 8;

template <class Number>
Number number_at(std::span<const std::byte> buffer, std::size_t offset) {
  Number number{};
  std::memcpy(&number, buffer.data() + offset, sizeof number);
  return number;
}

std::size_t bytes_written(std::span<const std::byte> buffer) {
  const auto last = std::find_if(buffer.rbegin(), buffer.rend(),
                                 [](std::byte byte) { return byte != kUntouched; });
  return static_cast<std::size_t>(buffer.rend() - last);
}

std::size_t stride_of(std::span<const std::byte> buffer, unsigned count, unsigned capacity) {
  const auto written = bytes_written(buffer);
  for (const unsigned entries : {count, capacity}) {  // or it cleared the whole list first
    for (const auto stride : kStrides) {
      if (written == entries * stride) return stride;
    }
  }
  return kUsualStride;
}

}  // namespace

std::vector<ProcessMemory> parse_processes(std::span<const std::byte> buffer, unsigned count,
                                           unsigned capacity) {
  std::vector<ProcessMemory> processes;
  const auto stride = stride_of(buffer, count, capacity);
  for (std::size_t i = 0; i < count && (i + 1) * stride <= buffer.size(); ++i) {
    const auto pid = number_at<std::uint32_t>(buffer, i * stride);
    const auto bytes = number_at<std::uint64_t>(buffer, i * stride + kMemoryOffset);
    if (pid == 0 || pid > static_cast<std::uint32_t>(std::numeric_limits<pid_t>::max())) continue;
    ProcessMemory process{.pid = static_cast<pid_t>(pid)};
    if (bytes != std::numeric_limits<std::uint64_t>::max()) process.bytes = bytes;
    processes.push_back(process);
  }
  return processes;
}

}  // namespace tidegauge::proc::nvml
