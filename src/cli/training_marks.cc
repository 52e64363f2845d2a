// SPDX-License-Identifier: Apache-2.0
#include "cli/training_marks.h"

#include <cmath>

namespace tidegauge::cli {

namespace {

using record::EventKind;

// A pass of so many steps, give or take what the last, smaller batch makes of it.
constexpr double kSameLength = 0.02;

}  // namespace

std::vector<record::Event> TrainingMarks::hear(const record::ProcessId& process, std::int64_t at_ns,
                                               const census::Training& training) {
  if (process != process_) {
    *this = {};
    process_ = process;
  }
  std::vector<record::Event> marks;
  const auto tell = [&](EventKind kind, std::string name, std::optional<double> value = {},
                        std::optional<double> total = {}) {
    marks.push_back({.at_ns = at_ns,
                     .kind = kind,
                     .process = process,
                     .source = record::MarkSource::Framework,
                     .name = std::move(name),
                     .value = value,
                     .total = total});
  };
  // Its passes go on by one part of a pass with each step: that is how long a pass is.
  const double length = training.passes > 0 ? training.step / training.passes : 0;
  const double epoch = std::floor(training.passes) + 1;
  const bool is_told_anew = std::abs(length - steps_per_epoch_) > kSameLength * length;
  if (length > 0 && (epoch > epoch_ || is_told_anew)) {
    tell(EventKind::Epoch, "steps", epoch, length);
    epoch_ = epoch;
    steps_per_epoch_ = length;
  }
  if (training.step > 0 && training.step != step_) {  // one that has ended
    tell(EventKind::Step, "", training.step, training.steps);
    step_ = training.step;
  }
  if (training.phase != phase_) {
    if (!phase_.empty()) tell(EventKind::PhaseEnd, phase_);
    if (!training.phase.empty()) tell(EventKind::PhaseBegin, training.phase);
    phase_ = training.phase;
  }
  return marks;
}

}  // namespace tidegauge::cli
