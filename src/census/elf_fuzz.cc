// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "census/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tidegauge::census::ElfFile file(std::as_bytes(std::span(data, size)));
  (void)file.symbol("_PyRuntime");
  (void)file.first_load_address();
  return 0;
}
