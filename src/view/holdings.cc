// SPDX-License-Identifier: Apache-2.0
#include "view/holdings.h"

#include <algorithm>
#include <cmath>

#include "base/thin.h"

namespace tidegauge::view {

namespace {

// "TYPE BY": a type has no blanks.
Holdings::Holder holder_of(const record::Event& event) {
  const auto blank = std::min(event.name.find(' '), event.name.size());
  const auto rest = std::min(blank + 1, event.name.size());
  return {.type = event.name.substr(0, blank),
          .by = event.name.substr(rest),
          .bytes = event.value.value_or(0),
          .count = event.total.value_or(0)};
}

void put(Holdings::Census& census, Holdings::Holder holder) {
  auto& all = census.holders;
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const auto& other) { return other.bytes < holder.bytes; });
  all.insert(place, std::move(holder));
  if (all.size() > Holdings::kMostHolders) all.pop_back();
}

}  // namespace

void Holdings::add(const record::Event& event) {
  if (event.kind != record::EventKind::Held || !std::isfinite(event.value.value_or(0))) return;
  auto of = std::find_if(all_.begin(), all_.end(),
                         [&](const auto& one) { return one.process == event.process; });
  if (of == all_.end()) {
    if (all_.size() == kMostProcesses) return;
    of = all_.insert(all_.end(), OfProcess{.process = event.process});
  }
  if (of->kept.empty() || of->last().at_ns != event.at_ns) {
    ++of->censuses;
    // The first stays: growth is told since then.
    if (of->kept.size() == kMostCensuses) keep_every_second(of->kept);
    of->kept.push_back({.at_ns = event.at_ns});
  }
  put(of->kept.back(), holder_of(event));
}

}  // namespace tidegauge::view
