// SPDX-License-Identifier: Apache-2.0
// The guard's hands: processes of their own, started before the job. They open nothing, allocate
// nothing and wait for nobody once the job runs, because all of that fails when memory has run out;
// what is slow is done by the gauge, which may fail. One of them acts, the others stand by
// (succession.h).
#pragma once

#include <array>

#include "guard/board.h"
#include "guard/evidence.h"
#include "guard/world.h"
#include "record/ask.h"

namespace tidegauge::guard {

struct Hands {
  Board& board;
  const Levers& cell;
  const Scale& meter;
  const Machine& machine;
  Flock* herd = nullptr;                 // never null where one of the processes runs
  tidegauge_ask_header* page = nullptr;  // null: nobody can be asked
  int wake = -1;                         // eventfd: there is news for the gauge
  EvidenceBells bells{};                 // to have the job looked into
  int gauge = -1;                        // its pidfd
  int trip_wire = -1;                    // readable when memory passes a line; -1: none
  double limit = 0;                      // that the cell was given; 0: others' limits bind
  double wanted_limit = 0;  // that no group keeps: what the gauge counts of the job is held to it
  Settings settings{};
  int job = -1;  // its pidfd, where it ran already when the process was started
};

// The place of a process in the line.
struct Post {
  Kind kind = Kind::Actor;
  std::size_t slot = 0;
  std::array<Peer, kLine> ahead{};
  std::size_t ahead_count = 0;
};

// What the kernel's limit is set to where ours is `limit`: one large call is not stopped by a
// freeze, so there is room for it above.
double kernel_limit_of(double limit, double lendable);

// Lets the job go on, whoever of us has made it stand still and in whatever way.
void let_go_on(const Hands& hands);

// By the gauge, where all are dead that could: finishes a kill that has begun; says how the job
// came to its end.
void kill_for_the_dead(const Hands& hands);
void end_for_the_dead(const Hands& hands);

// What such a process does from its beginning to its end.
[[noreturn]] void run_post(const Hands& hands, const Post& post);

}  // namespace tidegauge::guard
