// SPDX-License-Identifier: Apache-2.0
#include "proc/smaps_rollup.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rollup = tidegauge::proc::parse_smaps_rollup(text);
  if (rollup && rollup->uss && *rollup->uss > *rollup->rss) std::abort();
  return 0;
}
