// SPDX-License-Identifier: Apache-2.0
#include "proc/cmdline.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto arguments = tidegauge::proc::parse_cmdline(text);
  std::size_t length = 0;
  for (const auto& argument : arguments) length += argument.size();
  if (length > size) std::abort();
  return 0;
}
