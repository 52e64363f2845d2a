// SPDX-License-Identifier: Apache-2.0
// How often the job has been through its data. The first pass is where lazily filled caches end, so
// this clock decides what seconds cannot.
#pragma once

#include <optional>

#include "verdict/marks.h"

namespace tidegauge::verdict {

class PassClock {
 public:
  // Steps are the clock itself where a recording counts only steps.
  PassClock(const Marks& marks, const Rules& rules, bool clock_is_steps);

  bool known() const { return source_ != Source::None; }
  // Passes since the job began; within the first one at most 1 even where its length is not known
  // yet.
  double passes_at(double at) const;
  // When the first pass ends, or ended; empty where that cannot be foreseen.
  std::optional<double> first_pass_ends() const;
  std::optional<double> steps_per_pass() const { return steps_per_pass_; }

 private:
  enum class Source { None, Distinct, Steps, Epochs };
  const Marks* marks_;
  Source source_ = Source::None;
  bool clock_is_steps_;
  std::optional<double> steps_per_pass_{};
};

}  // namespace tidegauge::verdict
