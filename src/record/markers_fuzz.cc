// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "record/foreign.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto markers = parse_markers(text);
  if (!markers) return markers.error().what.empty() ? std::abort(), 0 : 0;
  for (const auto& event : markers->events) {
    if (event.source != MarkSource::File) std::abort();
  }
  for (const auto clock : {Clock::Seconds, Clock::Steps}) {
    Recording recording{.header = {.clock = clock, .started_unix_ns = 1'700'000'000'000'000'000}};
    for (int i = 0; i < 3; ++i)
      recording.entries.emplace_back(Sample{.at_ns = i * 1'000'000'000ll});
    if (merge(recording, *markers) && recording.entries.size() != 3 + markers->events.size()) {
      std::abort();
    }
  }
  return 0;
}
