// SPDX-License-Identifier: Apache-2.0
// How the actor has a job looked into while that stands still: by somebody in a process of its own,
// who may be slow, fail or die. What was found goes to the gauge; the actor hears only that it is
// over, and waits no longer than it said.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "guard/board.h"
#include "guard/meter.h"
#include "guard/world.h"

namespace tidegauge::guard {

// Events, each of them told by a descriptor.
struct EvidenceBells {
  int asked = -1;  // by the actor
  int done = -1;   // by whoever looks
  int wake = -1;   // for the gauge: there is something to hear
};

class EvidenceDesk {
 public:
  struct Request {
    std::uint64_t number = 0;
    Board::Member who{};  // without a start time: whoever has that pid
    std::int64_t frozen_since_ns = 0;
    std::int64_t until_ns = 0;  // CLOCK_MONOTONIC
  };

  // `ours`: of the groups that we are in ourselves, not the job.
  EvidenceDesk(Board& board, const Meter* ours, const EvidenceBells& bells)
      : board_(board), ours_(ours), bells_(bells) {}

  int fd() const { return bells_.asked; }  // readable when there may be a request
  // From now on somebody sits here.
  void open() const { board_.evidence_ready = true; }
  std::optional<Request> take() const;
  // What was read until now was read in a job that did not move.
  bool stands_still(const Request& request) const;
  void done(const Request& request) const;
  void wake_gauge() const;
  // How much more memory whoever sits here may use before others have to go without.
  double room_bytes() const;

 private:
  Board& board_;
  const Meter* ours_;  // null: not known
  EvidenceBells bells_;
};

// The actor's side, while the job is frozen. Allocates nothing.
class EvidenceWait {
 public:
  // Asks, if there is anybody to ask.
  EvidenceWait(Board& board, const Machine& machine, const EvidenceBells& bells, double seconds);
  EvidenceWait(const EvidenceWait&) = delete;
  EvidenceWait& operator=(const EvidenceWait&) = delete;
  ~EvidenceWait();

  // Waits a moment. False: it is done, the time is over, or nobody has begun in time.
  bool goes_on();

 private:
  Board& board_;
  const Machine& machine_;
  EvidenceBells bells_;
  std::int64_t began_ns_ = 0;
  std::int64_t until_ns_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace tidegauge::guard
