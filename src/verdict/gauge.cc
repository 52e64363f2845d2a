// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "verdict/compare.h"
#include "verdict/judgement.h"
#include "verdict/watched.h"

namespace tidegauge::verdict {

struct Gauge::State {
  Rules rules{};
  Watched watched{};
  record::LedgerKeeper ledgers{};  // where nobody brings one

  // Calls `say` with a judgement of all that was seen.
  template <class Say>
  auto judged(const Rules& by, const Say& say) {
    watched.settle();
    if (!watched.waits()) return say(Judgement(watched, by));
    const Watched all = watched.with_what_waits();
    return say(Judgement(all, by));
  }
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
  state_->ledgers.add(entry);
  add(entry, state_->ledgers);
}

void Gauge::add(const record::Entry& entry, const record::LedgerKeeper& ledgers) {
  auto& watched = state_->watched;
  if (const auto* sample = std::get_if<record::Sample>(&entry)) watched.add(*sample, ledgers);
  if (const auto* process = std::get_if<record::Process>(&entry)) watched.add(*process);
  if (const auto* event = std::get_if<record::Event>(&entry)) watched.add(*event);
  if (const auto* profile = std::get_if<record::Profile>(&entry)) watched.add(*profile);
}

Verdicts Gauge::judge() const {
  return judge(state_->rules.mode);
}

Verdicts Gauge::judge(Rules::Mode mode) const {
  Rules rules = state_->rules;
  rules.mode = mode;
  return state_->judged(rules, [](const auto& judgement) { return judgement.verdicts(); });
}

Verdicts Gauge::judge_first() const {
  return state_->judged(state_->rules, [](const auto& judgement) { return judgement.first(); });
}

Outline Gauge::outline(const std::string& name) const {
  return state_->judged(state_->rules,
                        [&](const auto& judgement) { return judgement.outline(name); });
}

std::vector<float> Gauge::features() const {
  return state_->judged(state_->rules, [](const auto& judgement) { return judgement.features(); });
}

Verdicts judge(const record::Recording& recording, const Rules& rules) {
  Gauge gauge(rules);
  gauge.begin(recording.header);
  for (const auto& entry : recording.entries) gauge.add(entry);
  return gauge.judge();
}

}  // namespace tidegauge::verdict
