// SPDX-License-Identifier: Apache-2.0
// The gauge's side of the guard: prepares the cell, starts the actor, tells it what is known of the
// job, hears what it did, and says in the end how the job came to its end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/board.h"
#include "guard/cell.h"
#include "guard/evidence.h"
#include "guard/meter.h"
#include "guard/supervise.h"
#include "proc/roots.h"
#include "record/ask_page.h"

namespace tidegauge::guard {

// What became of a guarded job, besides its status.
struct Ending {
  bool by_us = false;     // told to end, or killed
  bool killed = false;    // by us
  bool for_time = false;  // told to end because its time was up, not for its memory
  // Processes that the kernel killed for want of memory meanwhile; -1: it does not say.
  std::int64_t kills = -1;               // in the job's own group
  KillCause cause = KillCause::Unknown;  // of the last of those
  std::int64_t kills_on_machine = -1;
  std::int64_t kills_by_oomd = -1;  // systemd-oomd, in any of its groups
  double peak_bytes = 0;
  double limit_bytes = 0;  // of the job's own group; 0: it has none
  double lent_bytes = 0;
  std::uint32_t asks = 0;
  std::uint32_t freezes = 0;
  double frozen_seconds = 0;
  double longest_freeze_seconds = 0;
};

// Who ended it.
enum class Culprit {
  Nobody,
  Itself,
  Us,
  OwnLimit,
  LimitAbove,
  Machine,
  Kernel,         // for want of memory; whose limit it was is not known
  PerhapsKernel,  // it killed somebody on this machine then
  Earlyoom,
  Oomd,     // systemd's
  Outside,  // SIGTERM that came through us
  Unknown
};
Culprit culprit_of(const Ending& ending, const Status& status);
std::string words_of(Culprit culprit, const Status& status);

class Guard {
 public:
  // Before the job starts. `limit_bytes`: of the job's group, or of what the job is told to hold
  // where it can have none; 0: whatever binds it already. Fails only where there is no process to
  // be had.
  static Result<Guard> start(const proc::Roots& roots, const Settings& settings, double limit_bytes,
                             const record::AskPage* page);
  // Of a tree that runs already. No group of its own is given a limit.
  static Result<Guard> attach(const proc::Roots& roots, const Settings& settings,
                              record::ProcessId top, double limit_bytes,
                              const record::AskPage* page);
  Guard(Guard&&) noexcept;
  Guard& operator=(Guard&&) = delete;
  ~Guard();

  const Cell& cell() const;
  Means means() const;
  // Where somebody in a process of its own may sit, who looks into the job while that stands still.
  EvidenceDesk desk() const;
  std::uint64_t evidence_asked() const;  // how often
  void began(pid_t job);
  void tell(const Outlook& outlook, pid_t main, bool catches_term);
  // Who the job is, and how much they hold together: needed where no group holds them, or none has
  // the limit that was asked for.
  void tell_tree(const std::vector<record::ProcessId>& tree, double bytes);
  // Who of them holds most.
  void tell_largest(const record::ProcessId& id);
  int fd() const;  // readable when there is news, or it is time to ask for it
  // Sees to the guard's own processes, too.
  std::vector<News> take_news();
  // The job has ended, or will not begin.
  Ending finish();

 private:
  struct State;
  static Result<Guard> begin(const proc::Roots& roots, Cell cell, const Settings& settings,
                             double limit_bytes, const record::AskPage* page);
  explicit Guard(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::guard
