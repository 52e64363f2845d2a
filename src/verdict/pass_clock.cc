// SPDX-License-Identifier: Apache-2.0
#include "verdict/pass_clock.h"

#include <algorithm>

#include "verdict/statistics.h"

namespace tidegauge::verdict {

namespace {

// Within the first pass, where its length is not known: surely not over.
constexpr double kSomewhereInFirst = 0.5;

std::optional<double> steps_between_epochs(const Marks& marks, bool clock_is_steps) {
  const CountTrack* steps = marks.steps();
  if (steps == nullptr && !clock_is_steps) return {};
  const auto& epochs = marks.epochs();
  if (epochs.size() < 2) return {};
  const double counted = epochs.last_count() - epochs.first_count();
  const auto step_at = [&](double at) { return clock_is_steps ? at : steps->count_at(at); };
  const double walked = step_at(epochs.last_at()) - step_at(epochs.first_at());
  return counted > 0 && walked > 0 ? std::optional(walked / counted) : std::nullopt;
}

// What they have read together, at all times that any of them told.
CountTrack together(const std::vector<const Reads*>& readers) {
  if (readers.size() == 1) return readers.front()->distinct;
  std::vector<double> times;
  for (const auto* reader : readers) {
    const auto own = reader->distinct.times();
    times.insert(times.end(), own.begin(), own.end());
  }
  std::sort(times.begin(), times.end());
  CountTrack out;
  for (const double at : times) {
    double sum = 0;
    for (const auto* reader : readers) {
      if (at >= reader->distinct.first_at()) sum += reader->distinct.count_at(at);
    }
    out.add(at, sum);
  }
  return out;
}

}  // namespace

std::optional<Reads> reads_of_the_job(const Marks& marks) {
  std::vector<const Reads*> readers;
  double all = 0;
  for (const auto& [id, reads] : marks.readers()) {
    readers.push_back(&reads);
    all = std::max(all, reads.all);
  }
  if (readers.empty()) return {};
  return Reads{.distinct = together(readers), .all = all};
}

std::optional<Reads> reads_of_each(const Marks& marks, std::span<const record::ProcessId> who) {
  std::vector<const Reads*> readers;
  double all = 0;
  for (const auto& id : who) {
    const auto found = marks.readers().find(id);
    if (found == marks.readers().end()) continue;
    readers.push_back(&found->second);
    all += found->second.all;
  }
  if (readers.empty()) return {};
  return Reads{.distinct = together(readers), .all = all};
}

PassClock::PassClock(const Marks& marks, const Rules& rules, bool clock_is_steps)
    : PassClock(marks, rules, clock_is_steps, reads_of_the_job(marks)) {}

PassClock::PassClock(const Marks& marks, const Rules& rules, bool clock_is_steps,
                     std::optional<Reads> reads)
    : marks_(&marks), clock_is_steps_(clock_is_steps), reads_(std::move(reads)) {
  const bool has_steps = clock_is_steps || marks.steps() != nullptr;
  steps_per_pass_ = rules.steps_per_epoch && *rules.steps_per_epoch > 0 ? rules.steps_per_epoch
                                                                        : marks.steps_per_epoch();
  if (!steps_per_pass_) steps_per_pass_ = steps_between_epochs(marks, clock_is_steps);
  if (reads_ && reads_->distinct.size() >= 2) {
    source_ = Source::Distinct;
  } else if (has_steps && steps_per_pass_) {
    source_ = Source::Steps;
  } else if (!marks.epochs().empty()) {
    source_ = Source::Epochs;
  }
}

double PassClock::passes_at(double at) const {
  switch (source_) {
    case Source::None:
      return 0;
    case Source::Distinct: {
      const auto ends = first_pass_ends();
      const double begins = reads_->distinct.first_at();
      if (!ends || at < *ends) return reads_->distinct.count_at(at) / reads_->all;
      // Nothing is distinct any more. Later passes may be much faster: steps know, time does not.
      const auto* const steps = marks_->steps();
      if (steps != nullptr && steps_per_pass_) {
        return 1 + (steps->count_at(at) - steps->count_at(*ends)) / *steps_per_pass_;
      }
      return 1 + (at - *ends) / std::max(*ends - begins, 1e-9);
    }
    case Source::Steps:
      return (clock_is_steps_ ? at : marks_->steps()->count_at(at)) / *steps_per_pass_;
    case Source::Epochs: {
      const auto& epochs = marks_->epochs();
      if (epochs.size() < 2) return kSomewhereInFirst;
      const double from = epochs.first_count();
      if (at <= epochs.last_at()) return epochs.count_at(at) - from;
      // The running epoch is as long as those before; it counts as whole only when it ends.
      const double whole = epochs.last_count() - from;
      const double length = (epochs.last_at() - epochs.first_at()) / whole;
      return whole + std::min(1.0, (at - epochs.last_at()) / std::max(length, 1e-9));
    }
  }
  return 0;
}

std::optional<double> PassClock::first_pass_ends() const {
  switch (source_) {
    case Source::None:
      return {};
    case Source::Distinct:
      return reads_->distinct.time_of(reads_->all);
    case Source::Steps:
      return clock_is_steps_ ? *steps_per_pass_ : marks_->steps()->time_of(*steps_per_pass_);
    case Source::Epochs: {
      const auto& epochs = marks_->epochs();
      if (epochs.size() < 2) return {};
      return epochs.time_of(epochs.first_count() + 1);
    }
  }
  return {};
}

}  // namespace tidegauge::verdict
