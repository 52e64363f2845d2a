// SPDX-License-Identifier: Apache-2.0
// Both ends of a ring for tests.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "record/ring_reader.h"

namespace tidegauge::record {

struct CloseRing {
  void operator()(tidegauge_ring* ring) const { tidegauge_ring_close(ring); }
};
using WriterEnd = std::unique_ptr<tidegauge_ring, CloseRing>;

inline WriterEnd writer_of(const RingReader& reader) {
  return WriterEnd(tidegauge_ring_open(("/dev/fd/" + std::to_string(reader.fd())).c_str()));
}

inline tidegauge_slot mark_of(tidegauge_kind kind, std::int64_t a = 0, std::int64_t b = 0) {
  tidegauge_slot mark{};
  mark.kind = static_cast<std::uint16_t>(kind);
  mark.source = TIDEGAUGE_EXPLICIT;
  mark.a = a;
  mark.b = b;
  return mark;
}

inline void write_step(tidegauge_ring* ring, std::int64_t number) {
  tidegauge_ring_write(ring, mark_of(TIDEGAUGE_STEP, number));
}

inline void write_text(tidegauge_ring* ring, tidegauge_kind kind, const std::string& text) {
  tidegauge_ring_write_text(ring, mark_of(kind), text.c_str());
}

inline RingClock clock_now() {
  return {.now_ns = static_cast<std::int64_t>(tidegauge_ring_now_ns()), .began_ns = 0};
}

inline ProcessId same_pid(pid_t pid) {
  return {pid, 1};
}

}  // namespace tidegauge::record
