// SPDX-License-Identifier: Apache-2.0
#include "proc/status.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto status = tidegauge::proc::parse_status(text);
  if (status && status->thread_group <= 0) std::abort();
  if (status && status->rss && *status->rss % 1024 != 0) std::abort();
  return 0;
}
