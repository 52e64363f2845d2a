// SPDX-License-Identifier: Apache-2.0
// How often the job has been through its data. The first pass is where lazily filled caches end, so
// this clock decides what seconds cannot.
#pragma once

#include <optional>
#include <span>

#include "verdict/marks.h"

namespace tidegauge::verdict {

// All that the job's processes read together: the first pass is over when they have been through
// the data once.
std::optional<Reads> reads_of_the_job(const Marks& marks);
// The same of some processes, each of which is to read all of it.
std::optional<Reads> reads_of_each(const Marks& marks, std::span<const record::ProcessId> who);

class PassClock {
 public:
  // Steps are the clock itself where a recording counts only steps.
  PassClock(const Marks& marks, const Rules& rules, bool clock_is_steps);
  PassClock(const Marks& marks, const Rules& rules, bool clock_is_steps,
            std::optional<Reads> reads);

  bool known() const { return source_ != Source::None; }
  // Passes since the job began; within the first one at most 1 even where its length is not known
  // yet.
  double passes_at(double at) const;
  // When the first pass ends, or ended; empty where that cannot be foreseen.
  std::optional<double> first_pass_ends() const;
  std::optional<double> steps_per_pass() const { return steps_per_pass_; }
  // Examples read for the first time, where that is the clock, and how many there are to read.
  const CountTrack* reads() const {
    return source_ == Source::Distinct ? &reads_->distinct : nullptr;
  }
  double examples() const { return reads_ ? reads_->all : 0; }

 private:
  enum class Source { None, Distinct, Steps, Epochs };
  const Marks* marks_;
  Source source_ = Source::None;
  bool clock_is_steps_;
  std::optional<Reads> reads_{};
  std::optional<double> steps_per_pass_{};
};

}  // namespace tidegauge::verdict
