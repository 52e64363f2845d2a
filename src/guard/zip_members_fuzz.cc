// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "guard/zip_members.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto directory = tidegauge::guard::find_zip_directory(bytes, size);
  if (!directory) return 0;
  if (directory->offset + directory->bytes > size) __builtin_trap();
  (void)tidegauge::guard::parse_zip_members(bytes.substr(directory->offset, directory->bytes),
                                            directory->members);
  return 0;
}
