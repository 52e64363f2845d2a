// SPDX-License-Identifier: Apache-2.0
// All verdicts about what was watched: the tree's first, then one per process and kind that
// matters.
#pragma once

#include "verdict/analysis.h"
#include "verdict/compare.h"
#include "verdict/tree.h"
#include "verdict/watched.h"

namespace tidegauge::verdict {

class Judgement {
 public:
  // Both must outlive it.
  Judgement(const Watched& watched, const Rules& rules);

  Verdicts verdicts() const;
  Verdicts first() const;  // of those, alone
  Outline outline(const std::string& name) const;
  std::vector<float> features() const;

 private:
  Material material(const BlockSeries& series) const;
  Material material(const SteadyTree& tree) const;
  // What the first verdict is about.
  Material first_material() const;
  Verdict judge_series(const Subject& subject, const BlockSeries& series,
                       const std::vector<double>& restarts, const PassClock& passes) const;
  void judge_tree(Verdicts& out) const;
  void judge_columns(Verdicts& out) const;
  void judge_members(Verdicts& out) const;
  void name_causes(Verdict& verdict) const;
  const BlockSeries* series_of(const Subject& subject) const;
  double grown_until_census(const Verdict& verdict) const;
  void name_site(Verdict& verdict, const Growth& growth) const;

  const Watched& watched_;
  const Rules& rules_;
  PassClock passes_;                        // of the job
  std::vector<record::ProcessId> readers_;  // that make the tree grow
  PassClock tree_passes_;                   // of its tree
};

}  // namespace tidegauge::verdict
