// SPDX-License-Identifier: Apache-2.0
#include "proc/loadavg.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pid = tidegauge::proc::parse_last_pid(text);
  if (pid && *pid < 0) std::abort();
  return 0;
}
