// SPDX-License-Identifier: Apache-2.0
// A ring full of anything. The input's first 8 bytes are the head, then slots; a slot whose last
// byte is odd gets a sequence number and a check that fit, so that the reader looks further.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "record/ring_reader.h"

namespace {

constexpr std::uint32_t kSlots = 16;

using namespace tidegauge::record;

void fill(std::uint64_t* ring, const std::uint8_t* data, std::size_t size) {
  std::uint64_t head = 0;
  std::memcpy(&head, data, std::min(size, sizeof head));
  *tidegauge_ring_head(ring) = head;
  for (std::uint64_t i = 0; i < kSlots && size >= 8 + (i + 1) * 64; ++i) {
    const auto index = head - std::min<std::uint64_t>(head, kSlots) + i;
    auto* const slot = tidegauge_ring_slot(ring, kSlots - 1, index);
    std::memcpy(slot, data + 8 + i * 64, 64);
    if (data[8 + i * 64 + 63] % 2 == 0) continue;
    slot[0] = index + 1;
    slot[7] = tidegauge_ring_check(slot);
  }
}

void check(const std::vector<Event>& events, std::int64_t latest_ns) {
  std::int64_t before = 0;
  for (const auto& event : events) {
    if (event.at_ns < before || event.at_ns > latest_ns) std::abort();
    if (event.name.size() > TIDEGAUGE_RING_TEXT_BYTES * TIDEGAUGE_RING_TEXT_SLOTS) std::abort();
    if (event.kind != EventKind::MarksLost && event.value && *event.value < 0) std::abort();
    before = event.at_ns;
  }
  if (events.size() > kSlots + 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto reader = RingReader::create(kSlots);
  if (!reader) return 0;
  const auto bytes = tidegauge_ring_size(kSlots);
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, reader->fd(), 0);
  if (map == MAP_FAILED) return 0;
  constexpr RingClock kClock{.now_ns = 2'000'000'000, .began_ns = 1'000'000'000};
  const auto who_is = [](pid_t pid) { return ProcessId{pid, 0}; };
  // Twice, the second time from the input's middle: what comes later may contradict.
  for (const auto skip : {std::size_t{0}, size / 2}) {
    fill(static_cast<std::uint64_t*>(map), data + skip, size - skip);
    check(reader->read(kClock, who_is), 1'000'000'000);
  }
  check(reader->read_rest(kClock, who_is), 1'000'000'000);
  ::munmap(map, bytes);
  return 0;
}
