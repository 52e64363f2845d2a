// SPDX-License-Identifier: Apache-2.0
#include "verdict/marks.h"

#include <algorithm>
#include <array>

#include "base/thin.h"

namespace tidegauge::verdict {

namespace {

using record::EventKind;
using record::MarkSource;

// Steps of more ranks than this add nothing to what the first few say.
constexpr std::size_t kMostStepTracks = 32;
constexpr std::size_t kMostRestarts = 16;

// Who is believed first. A loader counts batches, which are not steps under gradient accumulation.
constexpr std::array kTrust = {MarkSource::Explicit,  MarkSource::File,   MarkSource::Framework,
                               MarkSource::Optimizer, MarkSource::Output, MarkSource::Loader};

Tie tie_of(const std::string& phase) {
  if (phase == "eval" || phase == "validation" || phase == "predict") return Tie::Eval;
  if (phase == "save" || phase == "checkpoint") return Tie::Save;
  if (phase == "compile") return Tie::Compile;
  return Tie::Phase;
}

}  // namespace

void CountTrack::add(double at, double count) {
  if (!marks_.empty() && (count <= marks_.back().count || at < marks_.back().at)) return;
  // The newest mark is always kept; older ones at the stride that fits.
  if (marks_.size() > 1 && (seen_ - 1) % stride_ != 0) marks_.pop_back();
  marks_.push_back({at, count});
  ++seen_;
  if (seen_ == 3) forget_a_start_long_before();
  if (marks_.size() <= most_) return;
  keep_every_second(marks_);
  stride_ *= 2;
}

// A 0 that was told before something was compiled says nothing of the pace, nor of when work began.
void CountTrack::forget_a_start_long_before() {
  constexpr double kLongBefore = 5;
  if (marks_.size() != 3 || marks_[0].count > 0) return;
  const auto pace = [&](std::size_t i) {
    return (marks_[i + 1].at - marks_[i].at) / (marks_[i + 1].count - marks_[i].count);
  };
  if (pace(0) > kLongBefore * pace(1)) marks_.erase(marks_.begin());
}

std::pair<double, double> CountTrack::counts_around(double at) const {
  if (marks_.empty()) return {0, 0};
  const auto then = std::lower_bound(marks_.begin(), marks_.end(), at,
                                     [](const Mark& mark, double t) { return mark.at < t; });
  return {then == marks_.begin() ? then->count : (then - 1)->count,
          then == marks_.end() ? marks_.back().count : then->count};
}

double CountTrack::count_at(double at) const {
  if (marks_.empty()) return 0;
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), at,
                                      [](double t, const Mark& mark) { return t < mark.at; });
  if (after == marks_.begin()) return marks_.front().count;
  if (after == marks_.end()) return marks_.back().count;
  const Mark& before = *(after - 1);
  const double share = (at - before.at) / std::max(after->at - before.at, 1e-9);
  return before.count + share * (after->count - before.count);
}

std::vector<double> CountTrack::times() const {
  std::vector<double> out;
  for (const auto& mark : marks_) out.push_back(mark.at);
  return out;
}

double CountTrack::time_of(double count) const {
  if (marks_.empty()) return 0;
  const auto after =
      std::lower_bound(marks_.begin(), marks_.end(), count,
                       [](const Mark& mark, double value) { return mark.count < value; });
  if (after == marks_.begin() && marks_.front().count >= count) return marks_.front().at;
  if (after != marks_.end()) {
    const Mark& before = *(after - 1);
    const double share = (count - before.count) / std::max(after->count - before.count, 1e-9);
    return before.at + share * (after->at - before.at);
  }
  const double counted = marks_.back().count - marks_.front().count;
  const double pace = counted > 0 ? (marks_.back().at - marks_.front().at) / counted : 0;
  return marks_.back().at + pace * (count - marks_.back().count);
}

void Marks::add(const record::Event& event, double at) {
  switch (event.kind) {
    case EventKind::Step:
      add_step(event, at);
      break;
    case EventKind::Epoch:
      add_epoch(event, at);
      break;
    case EventKind::PhaseBegin:
    case EventKind::PhaseEnd:
      add_phase(event, at);
      break;
    case EventKind::Distinct:
      add_distinct(event, at);
      break;
    case EventKind::Note:
      if (event.name == "restart" && restarts_.size() < kMostRestarts) restarts_.push_back(at);
      break;
    default:
      break;
  }
}

void Marks::add_step(const record::Event& event, double at) {
  if (!event.value) return;
  const auto key = std::pair(event.source, event.process);
  if (steps_.size() >= kMostStepTracks && !steps_.contains(key)) return;
  steps_[key].add(at, *event.value);
}

void Marks::add_epoch(const record::Event& event, double at) {
  if (!event.value) return;
  if (event.name == "steps" && event.total && *event.total >= 1) steps_per_epoch_ = event.total;
  if (!epochs_.empty() && *event.value <= epochs_.last_count()) return;
  if (epochs_.empty()) {
    first_epoch_began_ = at;
  } else if (auto* epochs = track(Tie::Epoch, "epoch")) {
    // The first epoch's begin is the job's begin, not a boundary.
    ++epochs->seen;
    epochs->stretches.push_back({at, at, false});
    if (epochs->stretches.size() > kMostStretches) {
      epochs->stretches.erase(epochs->stretches.begin());
    }
  }
  epochs_.add(at, *event.value);
}

void Marks::add_distinct(const record::Event& event, double at) {
  constexpr std::size_t kMarksOfAReader = 256;
  if (!event.value || !event.total || !(*event.total > 0)) return;
  auto found = readers_.find(event.process);
  if (found == readers_.end()) {
    if (readers_.size() >= kMostReaders) return;
    found = readers_.emplace(event.process, Reads{.distinct = CountTrack(kMarksOfAReader)}).first;
  }
  found->second.distinct.add(at, *event.value);
  found->second.all = *event.total;
}

void Marks::add_phase(const record::Event& event, double at) {
  if (event.name == "restart") {
    if (event.kind == EventKind::PhaseBegin && restarts_.size() < kMostRestarts) {
      restarts_.push_back(at);
    }
    return;
  }
  auto* events = track(tie_of(event.name), event.name);
  if (events == nullptr) return;
  auto& all = events->stretches;
  if (event.kind == EventKind::PhaseBegin) {
    if (!all.empty() && all.back().open) return;  // another rank's begin of the same phase
    ++events->seen;
    all.push_back({at, at, true});
    if (all.size() > kMostStretches) all.erase(all.begin());
  } else if (!all.empty() && all.back().open) {
    all.back().end = at;
    all.back().open = false;
  } else {  // its begin was not told
    ++events->seen;
    all.push_back({at, at, false});
    if (all.size() > kMostStretches) all.erase(all.begin());
  }
}

EventTrack* Marks::track(Tie tie, const std::string& name) {
  for (auto& events : events_) {
    if (events.tie == tie && (tie != Tie::Phase || events.name == name)) return &events;
  }
  if (events_.size() >= kMostEventKinds) return nullptr;
  events_.push_back({.tie = tie, .name = name});
  return &events_.back();
}

// What the job does since then it does without steps: their clock stands still, and would make a
// cliff of all that has grown since. An evaluation is no end of them, nor is one slow step.
bool Marks::is_long_past(const CountTrack& steps) const {
  constexpr double kLongest = 0.5;  // of the time from the first step to the last
  constexpr double kLeastSeconds = 10;
  constexpr double kStepsMissed = 3;
  double busy_until = steps.last_at();
  for (const auto& events : events_) {
    if (events.stretches.empty()) continue;
    const Stretch& latest = events.stretches.back();
    busy_until = std::max(busy_until, latest.open ? seen_at_ : latest.end);
  }
  const double idle = seen_at_ - busy_until;
  const double stepping = steps.last_at() - steps.first_at();
  const double a_step = stepping / (steps.last_count() - steps.first_count());
  return idle > std::max({kLeastSeconds, kLongest * stepping, kStepsMissed * a_step});
}

std::optional<double> Marks::steps_ended() const {
  const auto* steps = most_trusted_steps();
  return steps != nullptr && is_long_past(*steps) ? std::optional(steps->last_at()) : std::nullopt;
}

const CountTrack* Marks::steps() const {
  const auto* steps = most_trusted_steps();
  return steps != nullptr && is_long_past(*steps) ? nullptr : steps;
}

const CountTrack* Marks::most_trusted_steps() const {
  for (const auto source : kTrust) {
    const CountTrack* best = nullptr;
    for (const auto& [key, track] : steps_) {
      if (key.first != source || track.size() < 2) continue;
      if (best == nullptr || track.seen() > best->seen()) best = &track;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace tidegauge::verdict
