// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "proc/address_ranges.h"
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
  static constexpr std::size_t kMostTargets = 32;

  struct Found {
    record::Memory before{};       // its counters when the walk began
    PageShares pages{};            // blocks that stand for others are counted for them too
    std::optional<double> huge{};  // the share of pages that are parts of huge ones
    bool enough = false;           // was seen to say something about the whole
  };

  // `cost_seconds`: CPU time that the whole walk may take, about. `seen`: the share of the other
  // members of the family that is in `targets`.
  FamilyWalk(std::vector<WalkTarget> targets, double cost_seconds, double seen);

  // Goes on for about that much CPU time. True: it is done.
  bool go_on(const Root& root, double cpu_seconds, Turns& turns);
  // Why the first target could not be walked over: it has ended (Gone), is not ours (Denied).
  const std::optional<Error>& failed() const { return failed_; }
  // Nothing of one that was no target, or has ended or run another program meanwhile.
  std::optional<Found> found(const record::ProcessId& id) const;

 private:
  struct Walked {
    WalkTarget target{};
    UniqueFd pagemap{};  // none: it has ended
    PageShares pages{};
    double huge = 0;
    double asked_huge = 0;
  };
  // For pages, in the mappings of the target that was added last.
  struct Search {
    std::vector<Mapping> mappings{};  // those to come, the next one last
    bool sparse = false;              // more address space than is worth reading
    std::optional<PresentScan> scan{};
    AddressRanges ranges{};
  };

  bool is_done() const;
  void add_target(const Root& root, Turns& turns);
  Result<> open_target(const Root& root, WalkTarget target, Turns& turns);
  void search_on();
  void end_search();
  void choose_stride();
  void pass_block(Turns& turns);
  void read_block(const Extent& block, const AddressRange& range, Turns& turns);
  void ask_for_huge(const Extent& block);

  std::vector<WalkTarget> targets_;  // those to come, the next one last
  double cost_seconds_;
  double seen_;
  std::optional<Error> failed_;
  std::vector<Walked> walked_;
  std::optional<Search> search_;
  AddressRanges ranges_;
  std::uint64_t stride_ = 0;   // every how manieth block is read; 0: not chosen yet
  std::size_t range_ = 0;      // where we are
  std::uint64_t address_ = 0;  // the same, within the range
  std::uint64_t passed_ = 0;   // blocks
  std::uint64_t read_ = 0;     // blocks
  std::vector<std::vector<std::uint64_t>> entries_;  // of a block, by member
};

}  // namespace tidegauge::proc
