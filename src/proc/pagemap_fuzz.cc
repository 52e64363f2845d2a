// SPDX-License-Identifier: Apache-2.0
#include "proc/pagemap.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> entries(size / sizeof(std::uint64_t));
  if (!entries.empty()) std::memcpy(entries.data(), data, entries.size() * sizeof(std::uint64_t));
  const auto counts = tidegauge::proc::count_pages(entries);
  const auto sum =
      counts.exclusive_anon + counts.exclusive_file + counts.shared_anon + counts.shared_file;
  if (sum > entries.size()) std::abort();
  return 0;
}
