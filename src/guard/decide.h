// SPDX-License-Identifier: Apache-2.0
// From one look to the next act: the guard's ladder as a state machine without clock or I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "guard/policy.h"

namespace tidegauge::guard {

enum class Act : std::uint8_t {
  Freeze,
  LookAgain,  // now that nothing moves, and decide again
  Evidence,   // have it looked into while it stands still
  Lend,       // all that may be lent
  TakeBack,
  AskSave,
  AskStop,    // save, and end
  AskEnd,     // the same because its time is up
  Terminate,  // SIGTERM to the process that trains, and to nobody else
  Kill,       // the whole tree, frozen
  Thaw,
  TellNear,      // it has come near its limit
  TellSaved,     // a checkpoint was written
  TellNotSaved,  // it could not, or did not answer
};

// In the order in which they are to be done. Fixed size: the actor allocates nothing.
struct Acts {
  std::array<Act, 8> list{};
  std::size_t count = 0;
  double evidence_seconds = 0;  // that Evidence may take

  void add(Act act) {
    if (count < list.size()) list[count++] = act;
  }
  bool has(Act act) const;
};

// What became of the latest request.
enum class Heard : std::uint8_t { Nothing, Saving, Saved, NotSaved };

struct Look {
  std::int64_t at_ns = 0;
  double used = 0;  // without page cache
  Limits limits{};
  Shape shape{};
  Outlook outlook{};
  Means means{};
  Heard heard = Heard::Nothing;  // about the request that is open
  bool frozen = false;
  bool lent = false;
  bool catches_term = false;    // the process that trains has a handler for SIGTERM
  bool evidence = false;        // there is somebody who can look into the job
  double evidence_seconds = 0;  // that this has taken so far
  double ran_seconds = 0;
};

enum class Phase : std::uint8_t {
  Watching,
  Saving,       // asked for a checkpoint
  Stopping,     // asked for one, and to end
  Leaving,      // has saved and should be on its way out
  Terminating,  // got SIGTERM
  Killed,
};

class Ladder {
 public:
  explicit Ladder(const Settings& settings) : settings_(settings) {}

  Acts decide(const Look& look);
  Phase phase() const { return phase_; }
  // Whether the end that the job comes to now is our doing.
  bool ends_by_us() const { return phase_ >= Phase::Leaving; }
  // What is waited for has all its time from now on; so much more of it.
  void be_patient_from(std::int64_t now_ns) { deadline_ns_ = now_ns + patience_ns_; }
  void be_patient_for(std::int64_t ns) { deadline_ns_ += ns; }

 private:
  Acts on_the_way(const Look& look, const Lines& lines);
  Acts while_watching(const Look& look, const Lines& lines);
  Acts while_saving(const Look& look, const Lines& lines);
  Acts while_stopping(const Look& look, const Lines& lines);
  Acts while_leaving(const Look& look);
  bool should_ask(const Look& look, const Lines& lines) const;
  bool should_stop(const Look& look, const Lines& lines) const;
  bool may_ask(const Look& look) const;
  bool is_at_top(const Look& look, const Lines& lines) const;
  bool is_time_up(const Look& look) const;
  Acts while_frozen(const Look& look, const Lines& lines);
  Acts ask(const Look& look, Act how);
  Acts terminate(const Look& look);
  // How long the job may be looked into, given that nobody did for `since` seconds at least.
  double evidence_for(const Look& look, double since_seconds) const;
  void add_evidence(Acts& acts, const Look& look, double seconds);
  void enter(Phase phase, const Look& look, double patience_seconds);
  bool is_late(const Look& look) const { return look.at_ns >= deadline_ns_; }

  Settings settings_;
  Phase phase_ = Phase::Watching;
  std::int64_t patience_ns_ = 0;
  std::int64_t deadline_ns_ = 0;
  std::int64_t asked_ns_ = -1;      // the last time; -1: never
  double answered_seconds_ = 0;     // that the last save took
  bool near_ = false;               // told that it is near its limit
  bool deaf_ = false;               // did not answer the last time
  double asked_above_ = 0;          // what it had come to when it was asked last
  std::int64_t end_asked_ns_ = -1;  // for its time, the last time; -1: never
  std::int64_t evidence_ns_ = -1;   // when it was looked into last; -1: never
  bool for_time_ = false;           // the latest request
};

// One that acts may die or be stopped between any two of its acts, and another goes on in its
// place: with the ladder as it is after the last decision if that has taken effect, else as it was
// before.
struct Resumption {
  bool took_effect = false;
  bool kill = false;  // decided and not yet, or not wholly, done: if the job still stands still
  Acts tell{};        // what was not yet told of it
};
// `done` of the acts are; `asked`: there is a request of which the decision did not know.
Resumption resumption_of(const Acts& acts, std::size_t done, bool asked);

}  // namespace tidegauge::guard
