// SPDX-License-Identifier: Apache-2.0
#include "proc/maps.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::uint64_t last = 0;
  for (const auto& mapping : tidegauge::proc::parse_maps(text)) {
    if (mapping.begin < last || mapping.end <= mapping.begin) std::abort();
    last = mapping.end;
  }
  return 0;
}
