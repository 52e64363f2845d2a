// SPDX-License-Identifier: Apache-2.0
#include "record/guess.h"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tidegauge::record;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  MarkGuesser whole;
  MarkGuesser byte_by_byte;
  const auto events = whole.feed(text, 7);
  std::vector<Event> again;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (auto& event : byte_by_byte.feed(text.substr(i, 1), 7)) again.push_back(std::move(event));
  }
  if (again != events) std::abort();
  double step = 0;
  for (const auto& event : events) {
    if (event.source != MarkSource::Output || !event.value || !std::isfinite(*event.value)) {
      std::abort();
    }
    if (event.kind != EventKind::Step) continue;
    if (*event.value <= step) std::abort();
    step = *event.value;
  }
  return 0;
}
