// SPDX-License-Identifier: Apache-2.0
#include "proc/nvml.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tidegauge::proc::nvml {
namespace {

constexpr unsigned kCapacity = 8;
constexpr std::uint64_t kNotAvailable = ~0ull;

// What a driver leaves in a buffer that was prepared for it.
std::vector<std::byte> written(const std::vector<ProcessMemory>& processes, std::size_t stride,
                               std::size_t cleared = 0) {
  std::vector<std::byte> buffer(kCapacity * kLargestStride, kUntouched);
  std::memset(buffer.data(), 0, cleared * stride);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    auto* const entry = buffer.data() + i * stride;
    const auto bytes = processes[i].bytes.value_or(kNotAvailable);
    std::memset(entry + 8, 0, stride - 8);  // the gap after the pid is nobody's
    std::memcpy(entry, &processes[i].pid, 4);
    std::memcpy(entry + 8, &bytes, 8);
  }
  return buffer;
}

TEST(ParseProcesses, MeasuresTheLayout) {
  const std::vector<ProcessMemory> processes{{100, 5u << 20}, {200, 7ull << 33}, {300, {}}};
  for (const std::size_t stride : {16u, 24u, 32u}) {
    EXPECT_EQ(parse_processes(written(processes, stride), 3, kCapacity), processes) << stride;
    EXPECT_EQ(parse_processes(written(processes, stride, kCapacity), 3, kCapacity), processes)
        << stride << ", cleared first";
    const std::vector<ProcessMemory> one{{100, 1}};
    EXPECT_EQ(parse_processes(written(one, stride), 1, kCapacity), one) << stride;
  }
}

TEST(ParseProcesses, NoneIsNone) {
  EXPECT_TRUE(parse_processes(written({}, 24), 0, kCapacity).empty());
  EXPECT_TRUE(parse_processes({}, 5, 0).empty());
}

TEST(ParseProcesses, PassesOverPidsThatAreNone) {
  const auto buffer = written({{0, 5}, {-1, 6}, {7, 8}}, 24);
  EXPECT_EQ(parse_processes(buffer, 3, kCapacity), (std::vector<ProcessMemory>{{7, 8}}));
}

}  // namespace
}  // namespace tidegauge::proc::nvml
