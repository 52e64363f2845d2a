// SPDX-License-Identifier: Apache-2.0
// Which pages of a process tree are the same pages. The kernel's cheap counters (RssAnon…) count a
// page once per process that maps it: 24 forked workers seem to hold their parent 24 times. A walk
// over the page tables (pss) knows better, but is dear, comes for one process at a time, and is out
// of date as soon as somebody forks or exits.
//
// The model: a process owns what it maps less what it inherited, that is, what it maps and its
// parent (or those forked from the same parent) have too. A forked child inherits everything until
// a walk shows what it has written to since. So a fork adds nothing, an exit takes away only what
// was the process's own, and a walk changes the sum by what it found and nothing else. When every
// process was walked since the last one came or went, the sum of pss is exact and replaces the
// model; what it differed by is carried forward when the next one comes or goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "record/recording.h"
#include "record/sample.h"

namespace tidegauge::record {

class Sharing {
 public:
  enum Kind : std::size_t {
    Anon,
    File,
    Shmem,
    Unsplit,  // resident, of a kind that nobody told us
    Hugetlb,
    Swap,
    kKinds
  };
  using Totals = std::array<Bytes, kKinds>;

  void add(const Process& process);
  void add(const Event& event);
  // What the tree holds of each kind. Exact where the kernel counted for us: `counted_anon` is what
  // a cgroup says that holds this tree and nothing else.
  Totals add(const Sample& sample, Bytes counted_anon);
  // What a process holds that the model counts as its own; 0 for one that is not there.
  std::uint64_t own(const ProcessId& id) const;
  // The same of each process of the last sample, in its order.
  std::uint64_t own_at(std::size_t i) const {
    return i < own_of_sample_.size() ? own_of_sample_[i] : 0;
  }
  std::size_t remembered() const { return members_.size() + described_.size(); }

 private:
  using Amount = std::int64_t;

  struct Part {
    bool known = false;
    Amount counter = 0;
    Amount inherited = 0;
    // The last walk. Generation 0: there was none.
    std::uint64_t walked_generation = 0;
    Amount walked_counter = 0;
    Amount walked_share = 0;
    Amount walked_inherited = 0;
  };
  using Parts = std::array<Part, kKinds>;

  struct Member {
    ProcessId parent{};  // pid 0: none that we know
    std::size_t command_hash = 0;
    bool forked = false;  // runs its parent's program in a copy of its parent's memory
    bool gone = false;    // kept while two or more children still share what it left to them
    std::uint64_t seen_in = 0;
    std::set<ProcessId> children{};
    Parts parts{};
  };
  struct Description {
    ProcessId parent{};
    std::size_t command_hash = 0;
  };
  using Sums = std::array<Amount, kKinds>;
  struct Tally {           // over the living
    bool known = false;    // by at least one
    bool complete = true;  // all were walked since the last one came or went
    Amount largest = 0;
    Amount counters = 0;
    Amount shares = 0;
    bool allows(std::uint64_t counted) const;
  };

  std::vector<ProcessId> read_counters(const Sample& sample);  // returns the new ones
  void join(const ProcessId& id, Member& member);
  bool descends_from(ProcessId id, const ProcessId& ancestor) const;  // or is it
  void remove_the_gone();
  void leave(const ProcessId& id);
  void inherit(Member& member) const;
  bool take_walks(const Sample& sample);  // whether there were any
  Sums modelled() const;
  Tally tally(Kind kind) const;
  Totals settle(const Sums& before_walks, bool walked, Bytes counted_anon);
  std::map<ProcessId, Member>::iterator place_of(const ProcessId& id);
  const Member* find(const ProcessId& id) const;

  std::map<ProcessId, Member> members_;
  std::map<ProcessId, Description> described_;  // and not yet seen in a sample
  std::vector<std::uint64_t> own_of_sample_{};
  std::uint64_t samples_ = 0;
  std::uint64_t generation_ = 1;  // goes up when a process comes, goes or runs another program
  Sums unmodelled_{};             // by how much the model was wrong when it was last known
};

}  // namespace tidegauge::record
