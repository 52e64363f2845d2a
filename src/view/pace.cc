// SPDX-License-Identifier: Apache-2.0
#include "view/pace.h"

#include <algorithm>
#include <cmath>

#include "base/thin.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kFewest = 5;

bool interrupts(record::EventKind kind) {
  return kind == record::EventKind::PhaseBegin || kind == record::EventKind::PhaseEnd ||
         kind == record::EventKind::Gap;
}

}  // namespace

void Pace::add(const record::Event& event, const Progress& progress) {
  if (interrupts(event.kind)) interrupted_ = true;
  if (event.kind != record::EventKind::Step || !event.value || !std::isfinite(*event.value)) return;
  if (event.source != progress.step_source() || event.process != progress.step_process()) return;
  if (event.source != source_ || event.process != process_) {
    *this = Pace();
    source_ = event.source;
    process_ = event.process;
  }
  const Step now{seconds_of(event.at_ns), *event.value};
  if (last_ && now.number > last_->number && now.at >= last_->at && !interrupted_) {
    take((now.at - last_->at) / (now.number - last_->number));
  }
  last_ = now;
  interrupted_ = progress.open_phase() != nullptr;
}

void Pace::take(double seconds) {
  if (++passed_over_ < stride_) return;
  passed_over_ = 0;
  seconds_.push_back(seconds);
  if (seconds_.size() < kMost) return;
  keep_every_second(seconds_);
  stride_ *= 2;
}

std::optional<Pace::Quartiles> Pace::seconds_per_step() const {
  if (seconds_.size() < kFewest) return {};
  auto sorted = seconds_;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&sorted](double share) {
    return sorted[static_cast<std::size_t>(
        std::llround(share * (static_cast<double>(sorted.size()) - 1)))];
  };
  return Quartiles{at(0.25), at(0.5), at(0.75)};
}

}  // namespace tidegauge::view
