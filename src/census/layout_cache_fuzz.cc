// SPDX-License-Identifier: Apache-2.0
// A kept layout may be any file: what is taken from it can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "census/layout_cache.h"

using namespace tidegauge::census;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto row = parse_layout({reinterpret_cast<const char*>(data), size});
  if (row && !parse_layout(layout_as_text(*row))) std::abort();
  return 0;
}
