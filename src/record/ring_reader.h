// SPDX-License-Identifier: Apache-2.0
// The gauge's side of the ring (record/ring.h, docs/marks.md): makes the memory, and reads what
// jobs write into it. Anybody who was given the ring can write anything into it at any moment, so
// nothing found there is believed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "record/recording.h"
#include "record/ring_marks.h"

namespace tidegauge::record {

struct RingClock {  // both by CLOCK_MONOTONIC
  std::int64_t now_ns = 0;
  std::int64_t began_ns = 0;  // when at_ns was 0
};

class RingReader {
 public:
  // Memory that exists from the first byte to the last and can neither shrink nor grow, so that no
  // writer is ever killed by it. `slots` is a power of two.
  static Result<RingReader> create(std::uint32_t slots = TIDEGAUGE_RING_SLOTS);
  RingReader(RingReader&&) noexcept;
  RingReader& operator=(RingReader&&) noexcept;
  ~RingReader();

  // What a writer opens, by a name that the caller makes of it. Stays open as long as we are there.
  int fd() const;

  // All marks since the last look that count (record/mark_choice.h), thinned (once per sample is
  // meant), in the order in which they were begun; at_ns never falls and never lies in the future.
  // Ends with MarksLost if some were overwritten before we came, or never finished: a writer has
  // 100 ms for that. Never waits.
  std::vector<Event> read(const RingClock& clock, const WhoIs& who_is);
  // The same for the last time: what is unfinished now is lost.
  std::vector<Event> read_rest(const RingClock& clock, const WhoIs& who_is);

  std::uint64_t taken() const;  // marks read so far
  std::uint64_t lost() const;   // slots that could not be read; a text has up to 10
  std::uint64_t odd() const;    // marks that made no sense

 private:
  struct State;
  explicit RingReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::record
