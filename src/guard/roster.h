// SPDX-License-Identifier: Apache-2.0
// The gauge's part: starts the guard's processes, sees when one of them dies or is stopped, and
// starts another in its place.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "guard/actor.h"
#include "guard/succession.h"

namespace tidegauge::guard {

class Roster {
 public:
  explicit Roster(const Hands& hands) : hands_(hands) {}
  Roster(const Roster&) = delete;
  Roster& operator=(const Roster&) = delete;
  ~Roster();

  // All of them. False: errno says why there is no process to be had.
  bool start();
  // The job, for those that are started while it runs.
  void guards(int job_pidfd) { hands_.job = job_pidfd; }
  // Looks at all of them. What became of one is told by `tell`.
  void look(const std::function<void(NewsKind)>& tell);
  // Nobody is replaced any more.
  void close() { closed_ = true; }
  // The job is over: waits until they have done what is left to be done, and are gone.
  void say_farewell();

  // In order; the first one acts.
  std::span<const Peer> peers() const { return peers_; }

 private:
  bool start(Kind kind);
  void bury_the_dead();
  GaugeDuty see_to_them();
  void await_end(const Peer& peer) const;
  bool is_done(std::int64_t within_ns) const;

  Hands hands_;
  std::vector<Peer> peers_{};
  std::vector<Kind> kinds_{};
  std::vector<Pulse> pulses_{};
  std::size_t slot_ = 0;
  bool closed_ = false;
  bool unguarded_ = false;  // said so
  Patience patience_{};
};

}  // namespace tidegauge::guard
