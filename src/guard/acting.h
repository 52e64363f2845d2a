// SPDX-License-Identifier: Apache-2.0
// What the guard does about a job, look after look: measures, goes up and down the ladder, and says
// what it did. Runs in a process of its own (actor.h).
#pragma once

#include <cstdint>

#include "guard/actor.h"
#include "guard/answers.h"

namespace tidegauge::guard {

class Actor {
 public:
  // `job`: its pidfd, if that is known already.
  Actor(const Hands& hands, std::size_t slot, int job)
      : hands_(hands),
        board_(hands.board),
        herd_(*hands.herd),
        slot_(slot),
        ladder_(hands.settings),
        job_(job) {}

  [[noreturn]] void run();
  // Goes on where another one has died or was stopped. The gauge tells of those it has started.
  enum class Teller : std::uint8_t { Us, Gauge };
  void take_over(Teller teller);
  void kill_for_the_dead();
  void end_for_the_dead();

 private:
  bool await_job();
  void beat() { ++board_.beats[slot_]; }
  void pause(std::int64_t ns);
  bool is_over(int pidfd) const { return pidfd >= 0 && hands_.machine.has_ended(pidfd); }
  std::int64_t now_ns() const { return hands_.machine.now_ns(); }
  void keep(const Ladder& before, const Acts& acts);
  void kept(std::size_t done);
  std::uint64_t last_request() const;
  Resumption resume();
  bool halts() const { return !hands_.cell.can_freeze() && herd_.size() > 0; }
  void wait(std::int64_t for_ns);
  Reading measure();
  // Ours to let it have more than: the cell's, or one that only the gauge knows of.
  double own_limit() const { return wanted_binds_ ? hands_.wanted_limit : hands_.limit; }
  Look look();
  void act(const Look& seen);
  void apply(Act act, const Look& seen);
  bool runs_away(const Look& seen);
  void freeze(const Look& seen);
  void thaw();
  void mind_brake(double used, double line);
  void lend(const Look& seen);
  void take_back();
  void gather(const Look& seen);
  void ask(const Look& seen, NewsKind how);
  void terminate();
  void kill();
  void tell(NewsKind kind, const Look& seen);
  void end();
  [[noreturn]] void keep_until_empty();

  const Hands& hands_;
  Board& board_;
  Flock& herd_;  // where there is no group
  std::size_t slot_;
  Ladder ladder_;
  Track track_{};
  Answers answers_{};
  std::int64_t answers_due_ns_ = 0;
  std::uint64_t request_ = 0;
  int job_;                    // pidfd
  bool freezes_ = true;        // until it was refused
  bool wanted_binds_ = false;  // a limit that no group keeps, before any other
  bool brake_off_ = false;
  double lendable_ = 0;
  double evidence_seconds_ = 0;  // that the next look into the job may take
};

}  // namespace tidegauge::guard
