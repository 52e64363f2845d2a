// SPDX-License-Identifier: Apache-2.0
// Whatever a driver writes, and however many it claims: first byte the count, the rest the list.
#include "proc/nvml.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace nvml = tidegauge::proc::nvml;
  if (size == 0) return 0;
  const auto list = std::as_bytes(std::span(data + 1, size - 1));
  const auto capacity = static_cast<unsigned>(list.size() / nvml::kLargestStride);
  const auto processes = nvml::parse_processes(list, data[0], capacity);
  if (processes.size() > data[0]) std::abort();
  for (const auto& process : processes) {
    if (process.pid <= 0) std::abort();
  }
  return 0;
}
