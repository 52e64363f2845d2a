// SPDX-License-Identifier: Apache-2.0
#include "view/status_line.h"

#include "view/axis.h"
#include "view/ink.h"
#include "view/phrases.h"

namespace tidegauge::view {

std::string status_line(const LiveState& state) {
  const auto& accounts = state.accounts.get();
  std::string out;
  const auto add = [&out](const std::string& part) { out += (out.empty() ? "" : "  ") + part; };
  if (accounts.header.clock == record::Clock::Seconds) add(clock_label(accounts.last_at));
  if (const auto step = step_phrase(accounts.progress.step())) add(*step);
  const auto& total = accounts.line(Line::Total);
  if (total.count() > 0) add(size_or_dash(total.last()));
  if (!state.alarm.empty()) add(Ink{}.tag(Tone::Bad, "Out of memory") + " " + state.alarm);
  add(Ink{}.tag(state.words.tone, state.words.tag) + " " + state.words.headline);
  // A line for logs and pipes: no character that a program could stumble over.
  return to_ascii(out);
}

}  // namespace tidegauge::view
