// SPDX-License-Identifier: Apache-2.0
// The guard's hands: a process of its own, started before the job. It opens nothing, allocates
// nothing and waits for nobody, because all of that fails when memory has run out; what is slow is
// done by the gauge, which may fail.
#pragma once

#include "guard/board.h"
#include "guard/cell.h"
#include "guard/evidence.h"
#include "guard/meter.h"
#include "record/ask.h"

namespace tidegauge::guard {

struct Hands {
  Board& board;
  const Cell& cell;
  const Meter& meter;
  tidegauge_ask_header* page = nullptr;  // null: nobody can be asked
  int wake = -1;                         // eventfd: there is news for the gauge
  EvidenceBells bells{};                 // to have the job looked into
  int gauge = -1;                        // its pidfd
  int trip_wire = -1;                    // readable when memory passes a line; -1: none
  double limit = 0;                      // that the cell was given; 0: others' limits bind
  double wanted_limit = 0;  // that no group keeps: what the gauge counts of the job is held to it
  Settings settings{};
};

// What the kernel's limit is set to where ours is `limit`: one large call is not stopped by a
// freeze, so there is room for it above.
double kernel_limit_of(double limit, double lendable);

// In a process of its own, and its twin in another: that thaws the job and goes on in its place if
// the first one dies or leaves the job frozen.
[[noreturn]] void run_actor(const Hands& hands);

}  // namespace tidegauge::guard
