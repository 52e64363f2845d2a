// SPDX-License-Identifier: Apache-2.0
#include "base/mapping.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const auto line = tidegauge::parse_mapping_line(tidegauge::next_line(text));
    if (line && (line->begin >= line->end || line->permissions.size() != 4)) std::abort();
  }
  return 0;
}
