// SPDX-License-Identifier: Apache-2.0
// The processes of a tree, each with its series, in bounded memory: the largest ones, and of those
// that are gone the ones that mattered.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "record/recording.h"
#include "verdict/block_series.h"
#include "verdict/verdict.h"

namespace tidegauge::verdict {

struct Member {
  std::string name{};
  record::Role role = record::Role::Other;
  BlockSeries own{};  // what it adds to the tree's total
  std::map<Kind, BlockSeries> kinds{};
  std::map<std::string, BlockSeries> others{};  // columns of somebody's file
  std::vector<double> restarts{};               // it ran another program from then on
  double joined = 0;
  double last_seen = 0;
  double held = 0;           // at the last sample in which it was seen
  double share_of_tree = 0;  // the same, of the total
};

// What a process holds of a kind that a process has. Swapped pages are still its own: pushing them
// out is no shrinking.
record::Bytes bytes_of(const record::Memory& memory, Kind kind);

class Members {
 public:
  // Processes beyond the largest so many are part of the tree only.
  static constexpr std::size_t kMost = 64;

  void add(const record::Process& process);
  void restart(const record::ProcessId& id, double at);
  // `own`: what the process adds to the tree's `total`.
  void add(const record::ProcessSample& process, double at, double own, double total);

  // All that were seen at `since` were seen as they were then at each of
  // `times`, too.
  void repeat(double since, std::span<const double> times);

  const std::map<record::ProcessId, Member>& all() const { return members_; }
  // The job first, then by size.
  std::vector<std::pair<record::ProcessId, const Member*>> ordered() const;

 private:
  struct Description {
    std::string name{};
    record::Role role = record::Role::Other;
  };
  // The one that a newcomer would replace, and what it weighs.
  struct Least {
    record::ProcessId id{};
    double weight = 0;
    double at = 0;
  };
  Member* find(const record::ProcessId& id, double held, double at);
  const Least& least_at(double at);

  std::map<record::ProcessId, Member> members_{};
  bool least_known_ = false;  // nobody has changed since it was looked for
  Least least_{};
  std::map<record::ProcessId, Description> described_{};  // and not yet seen in a sample
};

}  // namespace tidegauge::verdict
