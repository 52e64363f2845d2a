// SPDX-License-Identifier: Apache-2.0
#include "verdict/holders.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostPiles = 16;
constexpr std::size_t kMostProcesses = 64;
constexpr double kWorthNaming = 0.1;  // of the growth
constexpr std::size_t kMostCauses = 5;

struct Remedy {
  std::string_view type;  // how the type's name begins
  std::string_view words;
};

constexpr Remedy kRemedies[] = {
    {"PIL.", "Open images when they are needed: tidegauge.images.LazyImages."},
    {"torch.", "Keep numbers, not tensors: .item(), .detach(); let go after each step."},
    {"numpy.", "Keep fewer arrays, or copies of the part that is needed."},
};

std::string remedy_for(const std::string& type) {
  for (const auto& remedy : kRemedies) {
    if (std::string_view(type).starts_with(remedy.type)) return std::string(remedy.words);
  }
  return "Let go of what is not needed any more, or put a bound on it.";
}

}  // namespace

void Holders::add(const record::Event& held) {
  if (!held.value || !held.total) return;
  if (processes_.size() >= kMostProcesses && !processes_.contains(held.process)) return;
  auto& censuses = processes_[held.process];
  if (censuses.first.empty()) censuses.first_ns = held.at_ns;
  if (censuses.last_ns != held.at_ns) censuses.last.clear();
  censuses.last_ns = held.at_ns;
  const auto blank = held.name.find(' ');
  Pile pile{.type = held.name.substr(0, blank),
            .holder = blank == std::string::npos ? "" : held.name.substr(blank + 1),
            .bytes = *held.value,
            .count = *held.total};
  if (held.at_ns == censuses.first_ns && censuses.first.size() < kMostPiles) {
    censuses.first.push_back(pile);
  }
  if (censuses.last.size() < kMostPiles) censuses.last.push_back(std::move(pile));
}

double Holders::grown(const Censuses& censuses, const Pile& pile) {
  if (censuses.last_ns == censuses.first_ns) return pile.bytes;
  for (const auto& before : censuses.first) {
    if (before.type == pile.type && before.holder == pile.holder) return pile.bytes - before.bytes;
  }
  return pile.bytes;
}

std::vector<Cause> Holders::causes(const record::ProcessId& process, double growth_bytes) const {
  const auto found = processes_.find(process);
  if (found == processes_.end() || growth_bytes <= 0) return {};
  auto piles = found->second.last;
  const auto growth_of = [&](const Pile& pile) { return grown(found->second, pile); };
  std::stable_sort(piles.begin(), piles.end(),
                   [&](const Pile& a, const Pile& b) { return growth_of(a) > growth_of(b); });
  std::vector<Cause> causes;
  for (const auto& pile : piles) {
    // All of what is there: growth before the first census was not seen from inside.
    if (growth_of(pile) <= 0 || pile.bytes < kWorthNaming * growth_bytes) continue;
    if (causes.size() == kMostCauses) break;
    causes.push_back({.kind = fmt::format("{:.0f} {}", pile.count, pile.type),
                      .type = pile.type,
                      .count = pile.count,
                      .bytes = static_cast<std::uint64_t>(pile.bytes),
                      .share = std::min(1.0, pile.bytes / growth_bytes),
                      .site = "",
                      .retained_by = pile.holder,
                      .remedy = remedy_for(pile.type)});
  }
  return causes;
}

std::vector<Cause> Holders::causes(double growth_bytes) const {
  std::vector<Cause> best;
  for (const auto& [process, censuses] : processes_) {
    auto found = causes(process, growth_bytes);
    if (!found.empty() && (best.empty() || *found.front().bytes > *best.front().bytes)) {
      best = std::move(found);
    }
  }
  return best;
}

}  // namespace tidegauge::verdict
