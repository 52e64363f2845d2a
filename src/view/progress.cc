// SPDX-License-Identifier: Apache-2.0
#include "view/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "view/phrases.h"

namespace tidegauge::view {

namespace {

using record::EventKind;
using record::MarkSource;

constexpr std::size_t kMostPhases = 256;
constexpr std::size_t kMostEpochs = 256;
constexpr std::size_t kMostHappenings = 64;
constexpr std::size_t kTextColumns = 60;
constexpr std::size_t kNameBytes = 128;  // a job may call its phase anything

// Whom we believe, best first: what a user says, then what knows what a step is, then guesses.
constexpr std::array kTrust = {MarkSource::File,      MarkSource::Explicit, MarkSource::Framework,
                               MarkSource::Optimizer, MarkSource::Output,   MarkSource::Loader,
                               MarkSource::Kernel};

std::size_t doubt(MarkSource source) {
  return static_cast<std::size_t>(std::find(kTrust.begin(), kTrust.end(), source) - kTrust.begin());
}

template <class T>
void push_bounded(std::deque<T>& list, T item, std::size_t most) {
  if (list.size() == most) list.pop_front();
  list.push_back(std::move(item));
}

std::uint64_t counted(const record::Event& event) {
  const double value = event.value.value_or(1);
  return value > 0 && value < 1e15 ? static_cast<std::uint64_t>(value) : 1;
}

}  // namespace

double seconds_of(std::int64_t at_ns) {
  return static_cast<double>(at_ns) / 1e9;
}

std::string phase_label(std::string_view name) {
  if (name == "eval") return "Evaluation";
  if (name == "save") return "Saving";
  if (name == "compile") return "Compilation";
  if (name == "predict") return "Prediction";
  const auto own = capitalised(shown(name, kTextColumns));
  return own.empty() ? "Phase" : own;
}

std::optional<double> Progress::epoch() const {
  if (epochs_.empty()) return {};
  return epochs_.back().number;
}

const Phase* Progress::open_phase() const {
  for (auto phase = phases_.rbegin(); phase != phases_.rend(); ++phase) {
    if (!phase->end) return &*phase;
  }
  return nullptr;
}

void Progress::tell(double at, std::string text) {
  push_bounded(happenings_, Happening{at, std::move(text)}, kMostHappenings);
}

void Progress::add_step(const record::Event& event) {
  if (!event.value || !std::isfinite(*event.value)) return;
  const bool better = doubt(event.source) < doubt(step_source_);
  if (!step_ || better) {
    first_step_ = event.value;
    step_source_ = event.source;
    step_process_ = event.process;
    step_ = event.value;
  }
  // Ranks of one job count alike: the first that spoke is the clock.
  if (event.source == step_source_ && event.process == step_process_) step_ = event.value;
}

void Progress::begin_phase(const record::Event& event) {
  const auto* open = open_phase();
  auto name = event.name.substr(0, kNameBytes);
  if (open && open->name == name) return;  // another rank says the same
  push_bounded(phases_, Phase{seconds_of(event.at_ns), {}, std::move(name)}, kMostPhases);
}

void Progress::end_phase(const record::Event& event) {
  const auto at = seconds_of(event.at_ns);
  for (auto phase = phases_.rbegin(); phase != phases_.rend(); ++phase) {
    if (phase->end || phase->name != event.name.substr(0, kNameBytes)) continue;
    phase->end = at;
    const auto took = duration_phrase(at - phase->begin);
    tell(phase->begin,
         took ? fmt::format("{}, {}", phase_label(event.name), *took) : phase_label(event.name));
    return;
  }
}

// A group and those above it all count the same one.
void Progress::add_kill(double at) {
  if (last_kill_at_ == at) return;
  last_kill_at_ = at;
  tell(at, "The kernel killed a process for lack of memory");
}

void Progress::add(const record::Event& event) {
  const auto at = seconds_of(event.at_ns);
  switch (event.kind) {
    case EventKind::Step:
      return add_step(event);
    case EventKind::PhaseBegin:
      return begin_phase(event);
    case EventKind::PhaseEnd:
      return end_phase(event);
    case EventKind::Epoch: {
      if (!event.value || !std::isfinite(*event.value) || epoch() == event.value) return;
      push_bounded(epochs_, Epoch{at, *event.value}, kMostEpochs);
      const auto where = step_phrase(step_);
      return tell(at, fmt::format("Epoch {:.0f} begins{}", *event.value + 0.0,
                                  where ? fmt::format(" ({})", *where) : ""));
    }
    case EventKind::Note:
      return tell(at, shown(event.name, kTextColumns));
    case EventKind::Exec:
      return tell(at, fmt::format("Process {} runs another program", event.process.pid));
    case EventKind::OomKill:
      return add_kill(at);
    case EventKind::Gap:
      ++gaps_;
      return tell(at, "No samples for a while");
    case EventKind::MarksLost:
      lost_marks_ += counted(event);
      return;
    case EventKind::Started:
    case EventKind::Exited:
    case EventKind::Distinct:
    case EventKind::Held:
      return;
  }
}

}  // namespace tidegauge::view
