// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "guard/program_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto head = tidegauge::guard::parse_program_head(bytes);
  if (head.linker.size() + head.interpreter.size() > size) std::abort();
  if (head.elf && !head.interpreter.empty()) std::abort();
  if (!can_preload(head, head)) std::abort();
  return 0;
}
