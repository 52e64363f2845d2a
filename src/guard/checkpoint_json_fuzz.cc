// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "guard/checkpoint_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::guard;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  (void)parse_trainer_step(json);
  (void)parse_end_of_tensors(json);
  const auto files = parse_weight_files(json);
  if (!files) return 0;
  for (const auto& file : *files) {
    if (file.empty() || file == ".." || file.find('/') != file.npos) __builtin_trap();
  }
  return 0;
}
