// SPDX-License-Identifier: Apache-2.0
// What the companion does: runs in a process of its own, allocates nothing after its start.
#pragma once

#include <cstddef>

namespace tidegauge::guard {

// Output travels in packets of at most this much, one byte of them for what kind of news it is.
inline constexpr std::size_t kLargestPacket = 16 * 1024;

struct RelayEnds {
  int channel = -1;   // to the gauge
  int master = -1;    // -1: nothing to carry
  int terminal = -1;  // where it goes
};

// Ends with the gauge if there is nothing to carry, else when the last process has let go of the
// pty.
[[noreturn]] void relay(const RelayEnds& ends);

}  // namespace tidegauge::guard
