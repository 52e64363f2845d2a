// SPDX-License-Identifier: Apache-2.0
#include "proc/statm.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A number has come from its digits.
  const auto statm = tidegauge::proc::parse_statm(text);
  if (statm && text.find(std::to_string(statm->resident % 10)) == text.npos) std::abort();
  return 0;
}
