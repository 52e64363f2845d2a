// SPDX-License-Identifier: Apache-2.0
#include "proc/stat.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto stat = tidegauge::proc::parse_stat(text);
  // What it accepts must come out of the text it was given.
  if (stat && text.find(stat->name) == text.npos) std::abort();
  if (stat && stat->id.pid <= 0) std::abort();
  return 0;
}
