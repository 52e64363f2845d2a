// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "record/foreign.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& options : {CsvOptions{}, CsvOptions{.unit_bytes = 1048576.0}}) {
    const auto foreign = parse_series(text, options);
    if (!foreign) {
      if (foreign.error().what.empty()) std::abort();
      continue;
    }
    // What it accepts is in order and makes sense.
    std::int64_t last = INT64_MIN;
    std::size_t samples = 0;
    for (const auto& entry : foreign->recording.entries) {
      const auto* sample = std::get_if<Sample>(&entry);
      if (sample == nullptr) continue;
      if (sample->at_ns < last) std::abort();
      last = sample->at_ns;
      ++samples;
      for (const auto& series : sample->others) {
        if (!std::isfinite(series.bytes) || series.bytes < 0) std::abort();
      }
    }
    if (samples == 0 || samples > foreign->notes.rows) std::abort();
  }
  return 0;
}
