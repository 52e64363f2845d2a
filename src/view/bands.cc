// SPDX-License-Identifier: Apache-2.0
#include "view/bands.h"

#include <fmt/format.h>

#include <functional>

#include "view/phrases.h"
#include "view/short_words.h"

namespace tidegauge::view {

namespace {

// Of processes remembered: enough for any tree that lives at once.
constexpr std::size_t kMostRemembered = 8192;
constexpr std::size_t kNameColumns = 40;

template <class Map>
void bound(Map& map) {
  while (map.size() > kMostRemembered) map.erase(map.begin());
}

bool is_worker(record::Role role) {
  return role == record::Role::CompileWorker || role == record::Role::LoaderWorker;
}

}  // namespace

void Bands::add(const record::Process& process) {
  known_[process.id] = {process.parent, shown(job_name(process), kNameColumns),
                        std::hash<std::string>{}(process.command), process.role};
  bound(known_);
  band_of_.erase(process.id);  // it may be another program now, or be known better
}

std::size_t Bands::open_band(Band band) {
  if (bands_.size() == kMost - 1) band = {.name = "others"};
  if (bands_.size() < kMost) bands_.push_back(std::move(band));
  return bands_.size() - 1;
}

std::size_t Bands::find_band(const record::ProcessId& id) {
  const auto found = known_.find(id);
  if (found == known_.end()) return open_band({.name = fmt::format("pid {}", id.pid)});
  const auto& known = found->second;
  if (is_worker(known.role)) {
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      if (bands_[i].by_role && bands_[i].role == known.role) return i;
    }
    return open_band({.name = known.name, .role = known.role, .by_role = true});
  }
  // A child that runs what its parent runs was forked and has not called exec.
  const auto parent = known_.find(known.parent);
  const auto of_parent = band_of_.find(known.parent);
  if (parent != known_.end() && of_parent != band_of_.end() &&
      parent->second.command_hash == known.command_hash) {
    return of_parent->second;
  }
  return open_band({.name = known.name, .role = known.role});
}

std::size_t Bands::band_of(const record::ProcessId& id) {
  if (const auto found = band_of_.find(id); found != band_of_.end()) return found->second;
  const auto band = find_band(id);
  ++bands_[band].members;
  band_of_[id] = band;
  bound(band_of_);
  return band;
}

std::string label_of(const Bands::Band& band) {
  if (band.by_role) return role_count(band.role, band.members);
  if (band.members <= 1 || band.name == "others") return band.name;
  return fmt::format("{} and {} fork{}", band.name, band.members - 1, band.members == 2 ? "" : "s");
}

}  // namespace tidegauge::view
