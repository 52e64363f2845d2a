// SPDX-License-Identifier: Apache-2.0
#include "verdict/allocations.h"

#include <algorithm>

#include "base/thin.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostProcesses = 64;
constexpr std::size_t kMostProfiles = 16;  // that are remembered of a process
constexpr std::size_t kMostSites = 128;    // of a profile
constexpr std::size_t kLongestName = 1000;
constexpr double kWorthNaming = 0.1;  // of the growth
constexpr double kClearly = 0.5;      // of all that grew between the two profiles

}  // namespace

void Allocations::add(const record::Profile& profile, double at) {
  if (processes_.size() >= kMostProcesses && !processes_.contains(profile.process)) return;
  std::map<std::string, double> live;
  for (const auto& site : profile.sites) {
    if (site.stack.empty()) continue;
    const auto own = record::telling_of(profile, site).own;
    live[record::label_of(profile.places[own]).substr(0, kLongestName)] +=
        static_cast<double>(site.live);
  }
  std::vector<std::pair<double, std::string>> sizes;
  sizes.reserve(live.size());
  for (const auto& [name, bytes] : live) sizes.emplace_back(bytes, name);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  for (std::size_t i = kMostSites; i < sizes.size(); ++i) live.erase(sizes[i].second);
  auto& moments = processes_[profile.process];
  if (moments.size() >= kMostProfiles) keep_every_second(moments);  // the first one stays
  moments.push_back({at, std::move(live)});
}

std::optional<Allocations::Grower> Allocations::grower(const record::ProcessId& process,
                                                       const Growth& growth) const {
  const auto place = processes_.find(process);
  if (place == processes_.end() || place->second.size() < 2 || growth.bytes <= 0) return {};
  const auto& moments = place->second;
  // The first one after it began to grow, or else the last one before.
  const auto* before = &moments.front();
  for (std::size_t i = 1; i + 1 < moments.size() && before->at < growth.since; ++i) {
    before = &moments[i];
  }
  Grower most;
  double all = 0;
  for (const auto& [site, live] : moments.back().live) {
    const auto then = before->live.find(site);
    const double grown = live - (then == before->live.end() ? 0 : then->second);
    all += std::max(0.0, grown);
    if (grown > most.grown) most = {site, live, grown};
  }
  if (most.grown < kClearly * all || most.grown < kWorthNaming * growth.bytes) return {};
  return most;
}

std::optional<Allocations::Grower> Allocations::grower(const Growth& growth) const {
  std::optional<Grower> best;
  for (const auto& [process, moments] : processes_) {
    auto found = grower(process, growth);
    if (found && (!best || found->grown > best->grown)) best = std::move(found);
  }
  return best;
}

}  // namespace tidegauge::verdict
