// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "proc/maps.h"
#include "proc/page_scan.h"
#include "proc/page_shares.h"
#include "proc/root.h"
#include "proc/turns.h"
#include "record/sample.h"

namespace tidegauge::proc {

// A process to walk over.
struct WalkTarget {
  record::ProcessId id{};
  std::string folder{};     // "" or "task/TID/"
  record::Memory memory{};  // its counters, when the walk begins
};

// Walks over the page tables of processes that were forked from one another (or of a single one),
// reading the same addresses in each, in turns so short that none of them notices. Where all pages
// would cost too much it reads every n-th block of 2 MiB, the same ones every time, so that what
// has changed between two walks has changed in the processes.
class FamilyWalk {
 public:
  struct Found {
    record::Memory before{};       // its counters when the walk began
    PageShares pages{};            // blocks that stand for others are counted for them too
    std::optional<double> huge{};  // the share of pages that are parts of huge ones
    bool enough = false;           // was seen to say something about the whole
  };

  // `cost_seconds`: CPU time that the whole walk may take. `seen`: the share of the family that is
  // in `targets`. An error is about the first of them: Gone, or Denied, not ours to read.
  static Result<FamilyWalk> begin(const Root& root, std::vector<WalkTarget> targets,
                                  double cost_seconds, double seen, Turns& turns);

  // Goes on for about that much CPU time. True: it is done.
  bool go_on(double cpu_seconds, Turns& turns);
  // Nothing of one that was no target, or has ended or run another program meanwhile.
  std::optional<Found> found(const record::ProcessId& id) const;

 private:
  struct Range {
    Extent extent{};
    Backing backing = Backing::Nothing;
  };
  struct Walked {
    WalkTarget target{};
    UniqueFd pagemap{};  // none: it has ended
    PageShares pages{};
    double huge = 0;
    double asked_huge = 0;
  };

  FamilyWalk() = default;
  static Result<std::vector<Range>> ranges_of(const Root& root, const Walked& walked, Turns& turns);
  static std::vector<Range> join(const std::vector<Range>& a, const std::vector<Range>& b);
  Result<> add(const Root& root, WalkTarget target, Turns& turns);
  void choose_stride(double cost_seconds);
  void read_block(const Extent& block, Backing backing, Turns& turns);
  void ask_for_huge(const Extent& block);

  std::vector<Walked> walked_;
  std::vector<Range> ranges_;
  double seen_ = 1;
  std::uint64_t stride_ = 1;   // every how manieth block is read
  std::size_t range_ = 0;      // where we are
  std::uint64_t address_ = 0;  // the same, within the range
  std::uint64_t count_ = 0;    // of blocks passed
  std::uint64_t blocks_read_ = 0;
  std::vector<std::vector<std::uint64_t>> entries_;  // of a block, by member
};

}  // namespace tidegauge::proc
