// SPDX-License-Identifier: Apache-2.0
#include "proc/meminfo.h"

#include <cstdint>
#include <cstdlib>

namespace {

bool is_share(const std::optional<double>& share) {
  return !share || (*share >= 0 && *share <= 100);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto machine = tidegauge::proc::parse_meminfo(text);
  // What it accepts was said in kilobytes.
  if (machine && (!machine->total || *machine->total % 1024 != 0)) std::abort();
  const auto pressure = tidegauge::proc::parse_pressure(text);
  if (pressure && !(is_share(pressure->some) && is_share(pressure->full))) std::abort();
  return 0;
}
