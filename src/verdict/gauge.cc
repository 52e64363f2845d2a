// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "verdict/compare.h"
#include "verdict/judgement.h"
#include "verdict/watched.h"

namespace tidegauge::verdict {

struct Gauge::State {
  Rules rules{};
  Watched watched{};
};

Gauge::Gauge(const Rules& rules) : state_(std::make_unique<State>()) {
  state_->rules = rules;
}
Gauge::Gauge(Gauge&&) noexcept = default;
Gauge& Gauge::operator=(Gauge&&) noexcept = default;
Gauge::~Gauge() = default;

void Gauge::begin(const record::Header& header) {
  state_->watched.begin(header);
}

void Gauge::add(const record::Entry& entry) {
  std::visit([this](const auto& value) { state_->watched.add(value); }, entry);
}

Verdicts Gauge::judge() const {
  return judge(state_->rules.mode);
}

Verdicts Gauge::judge(Rules::Mode mode) const {
  Rules rules = state_->rules;
  rules.mode = mode;
  return Judgement(state_->watched, rules).verdicts();
}

Outline Gauge::outline(const std::string& name) const {
  return Judgement(state_->watched, state_->rules).outline(name);
}

std::vector<float> Gauge::features() const {
  return Judgement(state_->watched, state_->rules).features();
}

Verdicts judge(const record::Recording& recording, const Rules& rules) {
  Gauge gauge(rules);
  gauge.begin(recording.header);
  for (const auto& entry : recording.entries) gauge.add(entry);
  return gauge.judge();
}

}  // namespace tidegauge::verdict
