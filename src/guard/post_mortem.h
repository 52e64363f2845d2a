// SPDX-License-Identifier: Apache-2.0
// Who killed for want of memory. The kernel counts how often it did and which limits were hit;
// programs that kill leave no counter, but lines in the journal and marks on groups.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proc/roots.h"

namespace tidegauge::guard {

// What the kernel has counted so far; -1: it does not say.
struct KillCounts {
  std::int64_t own = -1;         // killed in the job's own group
  std::int64_t hits_own = -1;    // how often that group's limit was hit
  std::int64_t hits_above = -1;  // the same of those above that can be seen and have one
  std::int64_t machine = -1;     // killed on the whole machine, for whatever limit
  std::int64_t stalls = -1;      // how often somebody had to wait for the machine's own memory
};

// Whose limit it was.
enum class KillCause : std::uint8_t { Unknown, OwnLimit, LimitAbove, Machine };
// Between two counts with a kill in the job's group between them. `hidden_above`: there may be
// groups with a limit that cannot be seen from here, as in a container. A limit that was not hit is
// excluded, and the machine if nobody had to wait for its memory; where that leaves more than one,
// nothing is said.
KillCause cause_of(const KillCounts& before, const KillCounts& after, bool hidden_above);

// What came of looking again and again: the cause of the last kill. Counts are kept from one look
// to the next, so that what was hit hours ago is no evidence.
class KillWatch {
 public:
  explicit KillWatch(bool hidden_above = false) : hidden_above_(hidden_above) {}
  void look(const KillCounts& counts);
  KillCause cause() const { return cause_; }

 private:
  bool hidden_above_;
  bool begun_ = false;
  KillCounts before_last_{};  // a limit is hit a moment before somebody is killed for it
  KillCounts last_{};
  KillCause cause_ = KillCause::Unknown;
};

enum class Killer : std::uint8_t { None, Earlyoom, Oomd };

struct Accused {
  Killer killer = Killer::None;
  std::string line{};  // of the journal; empty: it is known otherwise
};

// What lines of the journal (messages only) say about one of these processes, or about a group that
// one of `groups` (paths from the top of the hierarchy) is in.
Accused killer_in(std::string_view journal, const std::set<pid_t>& pids,
                  const std::vector<std::string>& groups);

// How many processes systemd-oomd says it has killed in these folders; -1: none of them says.
std::int64_t oomd_kills(const std::vector<std::string>& folders);

// Of those that run on this machine now and kill by themselves: "earlyoom", "systemd-oomd"…
std::vector<std::string> killers_running(const proc::Roots& roots);

// Paths of the groups that a process is in, without that of a cell of ours.
std::vector<std::string> groups_of(const proc::Roots& roots, pid_t pid);

}  // namespace tidegauge::guard
