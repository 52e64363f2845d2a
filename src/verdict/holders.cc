// SPDX-License-Identifier: Apache-2.0
#include "verdict/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/thin.h"

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostPiles = 16;
constexpr std::size_t kMostProcesses = 64;
constexpr double kWorthNaming = 0.1;  // of the growth
constexpr std::size_t kMostCauses = 5;
constexpr double kTellingCount = 100;  // of objects: two such piles are not alike by chance
constexpr double kSameCount = 0.01;
constexpr double kMoreCount = 0.05;        // one of them may have been another's for a moment
constexpr std::size_t kMostCensuses = 16;  // that are remembered of a process

struct Remedy {
  std::string_view type;  // how the type's name begins
  std::string_view words;
};

constexpr Remedy kRemedies[] = {
    {"PIL.", "Open images when they are needed: tidegauge.images.LazyImages."},
    {"torch.autograd.",
     "Keep the number, not the graph that it was computed by: add up loss.item() or "
     "loss.detach()."},
    {"torch.", "Keep numbers, not tensors: .item(), .detach(); let go after each step."},
    {"numpy.", "Keep fewer arrays, or copies of the part that is needed."},
};

}  // namespace

std::string remedy_for(const std::string& type) {
  for (const auto& remedy : kRemedies) {
    if (std::string_view(type).starts_with(remedy.type)) return std::string(remedy.words);
  }
  return "Let go of what is not needed any more, or put a bound on it.";
}

void Holders::add(const record::Event& held, double at) {
  if (!held.value || !held.total) return;
  if (processes_.size() >= kMostProcesses && !processes_.contains(held.process)) return;
  auto& censuses = processes_[held.process];
  if (censuses.empty() || censuses.back().at != at) {
    thin(censuses);
    censuses.push_back({.at = at});
  }
  auto& piles = censuses.back().piles;
  if (piles.size() >= kMostPiles) return;
  const auto blank = held.name.find(' ');
  piles.push_back({.type = held.name.substr(0, blank),
                   .holder = blank == std::string::npos ? "" : held.name.substr(blank + 1),
                   .bytes = *held.value,
                   .count = *held.total});
}

std::optional<double> Holders::last_at(const std::optional<record::ProcessId>& process) const {
  std::optional<double> last;
  for (const auto& [id, censuses] : processes_) {
    if (!process || id == *process) last = std::max(last.value_or(0), censuses.back().at);
  }
  return last;
}

// Every second one goes; the first one stays.
void Holders::thin(Censuses& censuses) {
  if (censuses.size() < kMostCensuses) return;
  keep_every_second(censuses);
}

// The same pile in another census; one that is found by another way there (a function that runs was
// given its holder) is told by its number, where that is not a common one.
const Holders::Pile* Holders::find(const Census* census, const Pile& pile) {
  if (census == nullptr) return nullptr;
  const Pile* alike = nullptr;
  for (const auto& then : census->piles) {
    if (then.type != pile.type) continue;
    if (then.holder == pile.holder) return &then;
    if (pile.count >= kTellingCount && std::abs(then.count - pile.count) <= kSameCount * pile.count)
      alike = &then;
  }
  return alike;
}

double Holders::grown(const Census* before, const Pile& pile) {
  const auto* const then = find(before, pile);
  return then == nullptr ? pile.bytes : pile.bytes - then->bytes;
}

// The first one after it began to grow, or else the last one before.
const Holders::Census* Holders::first_to_compare(const Censuses& censuses, double since) {
  if (censuses.size() < 2) return nullptr;
  const Census* before = &censuses.front();
  for (std::size_t i = 1; i + 1 < censuses.size() && before->at < since; ++i) {
    before = &censuses[i];
  }
  return before;
}

std::vector<Cause> Holders::causes(const record::ProcessId& process, const Growth& growth) const {
  const auto place = processes_.find(process);
  if (place == processes_.end() || growth.bytes <= 0) return {};
  const auto& censuses = place->second;
  const Census* const before = first_to_compare(censuses, growth.since);
  // Between these two a warm-up may have ended that the leak was hidden under. A leak adds objects;
  // what was as many before and became larger (images that were decoded) may well have been the
  // warm-up, and a wrong name is worse than none.
  const bool doubtful = growth.is_leak && before != nullptr && before->at < growth.since;
  // Of what was there before and grew on, all counts: growth before the first census was not seen
  // from inside.
  const bool later = before == &censuses.front() && before->at > growth.since;
  auto piles = censuses.back().piles;
  std::stable_sort(piles.begin(), piles.end(), [&](const Pile& a, const Pile& b) {
    return grown(before, a) > grown(before, b);
  });
  std::vector<Cause> causes;
  for (const auto& pile : piles) {
    const double counted = later ? pile.bytes : grown(before, pile);
    if (grown(before, pile) <= 0 || counted < kWorthNaming * growth.bytes) continue;
    const auto* const then = find(before, pile);
    if (doubtful && then != nullptr && pile.count <= (1 + kMoreCount) * then->count) continue;
    if (causes.size() == kMostCauses) break;
    causes.push_back({.kind = fmt::format("{:.0f} {}", pile.count, pile.type),
                      .type = pile.type,
                      .count = pile.count,
                      .bytes = static_cast<std::uint64_t>(pile.bytes),
                      .share = std::min(1.0, counted / growth.bytes),
                      .site = "",
                      .retained_by = pile.holder,
                      .remedy = remedy_for(pile.type)});
  }
  return causes;
}

std::vector<Cause> Holders::causes(const Growth& growth) const {
  std::vector<Cause> best;
  for (const auto& [process, censuses] : processes_) {
    auto found = causes(process, growth);
    if (!found.empty() && (best.empty() || *found.front().share > *best.front().share)) {
      best = std::move(found);
    }
  }
  return best;
}

}  // namespace tidegauge::verdict
