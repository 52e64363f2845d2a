// SPDX-License-Identifier: Apache-2.0
#include "census/spared.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "census/snapshot.h"

namespace tidegauge::census {

namespace {

constexpr Address kLargePage = 2 << 20;
constexpr Address kSmallestGap = 2 * kLargePage;
// Each costs two calls while the process stands still, some ten microseconds in all; copying the
// smallest one would cost fifty.
constexpr std::size_t kMostGaps = Snapshot::kMostSpared;
// So much beside the arenas: less is copied as soon as it is looked through.
constexpr std::uint64_t kWorthIt = 512ULL << 20;
// The kernel allows 65530 mappings, and each gap makes two more for a moment.
constexpr std::size_t kMostRegions = 60'000;

std::uint64_t resident_bytes(pid_t pid) {
  constexpr std::uint64_t kPage = 4096;
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  statm >> size >> resident;
  return resident * kPage;
}

// A network card that writes into the process's memory by itself: its library has said for some
// ranges that children do not get them, and that must stay so.
bool has_remote_memory(const std::vector<Region>& regions) {
  return std::any_of(regions.begin(), regions.end(), [](const Region& region) {
    return region.path.find("ibverbs") != std::string::npos ||
           region.path.find("libfabric") != std::string::npos ||
           region.path.starts_with("/dev/infiniband");
  });
}

std::vector<Stretch> anonymous(const std::vector<Region>& regions) {
  std::vector<Stretch> all;
  for (const auto& region : regions) {
    const bool is_data = region.path.empty() || region.path == "[heap]";
    if (is_data && region.readable && region.writable && !region.shared && region.inode == 0) {
      all.push_back({region.begin, region.end});
    }
  }
  return all;
}

}  // namespace

std::vector<Stretch> gaps_between(const std::vector<Stretch>& all,
                                  const std::vector<Stretch>& kept) {
  std::vector<Stretch> gaps;
  const auto add = [&](Address begin, Address end) {
    begin = (begin + kLargePage - 1) / kLargePage * kLargePage;
    end = end / kLargePage * kLargePage;
    if (begin < end && end - begin >= kSmallestGap) gaps.push_back({begin, end});
  };
  std::size_t next = 0;
  for (const auto& [begin, end] : all) {
    auto free_from = begin;
    // What is kept may overlap; it is in order of where it begins.
    for (; next < kept.size() && kept[next].begin < end; ++next) {
      if (kept[next].begin > free_from) add(free_from, kept[next].begin);
      free_from = std::max(free_from, kept[next].end);
    }
    if (free_from < end) add(free_from, end);
  }
  std::sort(gaps.begin(), gaps.end(),
            [](const Stretch& a, const Stretch& b) { return a.end - a.begin > b.end - b.begin; });
  if (gaps.size() > kMostGaps) gaps.resize(kMostGaps);
  return gaps;
}

std::vector<Stretch> stretches_to_spare(pid_t pid, const LiveSource& source, TypeTable& types) {
  std::uint64_t in_arenas = 0;
  for (const auto& arena : source.arenas) in_arenas += arena.end - arena.begin;
  if (resident_bytes(pid) < in_arenas + kWorthIt || source.regions.size() > kMostRegions ||
      has_remote_memory(source.regions)) {
    return {};
  }
  auto kept = places_pointed_to(source, types);
  kept.insert(kept.end(), source.arenas.begin(), source.arenas.end());
  std::sort(kept.begin(), kept.end(),
            [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  return gaps_between(anonymous(source.regions), kept);
}

}  // namespace tidegauge::census
