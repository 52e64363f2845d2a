// SPDX-License-Identifier: Apache-2.0
#include "census/spared.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/fd.h"
#include "base/pagemap_scan.h"
#include "census/malloc_pieces.h"
#include "census/snapshot.h"

namespace tidegauge::census {

namespace {

constexpr Address kLargePage = GapLimits::kLargePage;
constexpr Address kPage = 4096;
// Each costs two calls while the process stands still, some fifty microseconds in all; copying the
// smallest one would cost a hundred.
constexpr std::size_t kMostOneByOne = 400;
// Where many are told of in one call, each costs ten microseconds in all; copying the smallest one
// would cost twenty.
constexpr Address kSmallestOfMany = 768 << 10;
constexpr std::size_t kMostOfMany = Snapshot::kMostSpared;
// So much beside the arenas: less is copied in a millisecond or two.
constexpr std::uint64_t kWorthIt = 64ULL << 20;
// Large pieces begin on large pages, so that there is less than one between two of them.
constexpr Address kWidestHole = kLargePage;
// Whether holes are still holes is seen in the map of the stopped process, of which a line costs as
// much as the fiftieth part of a stretch.
constexpr std::size_t kLinesWorthAHole = 50;
// The kernel allows 65530 mappings, and each gap makes two more for a moment.
constexpr std::size_t kMostRegions = 65'000 - 2 * kMostOfMany;

// Pages of files are not copied.
std::uint64_t anonymous_bytes(pid_t pid) {
  std::ifstream statm(fmt::format("/proc/{}/statm", pid));
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  statm >> size >> resident >> of_files;
  return (resident - std::min(of_files, resident)) * kPage;
}

// Whether much of it is there, by some of its pages: of a thread's stack almost nothing is.
bool is_resident(int pagemap, const Stretch& stretch) {
  constexpr Address kLooks = 16;
  constexpr Address kFewest = 4;
  constexpr std::uint64_t kPresent = 1ULL << 63;
  Address present = 0;
  for (Address look = 0; look < kLooks; ++look) {
    const auto page = (stretch.begin + (stretch.end - stretch.begin) / kLooks * look) / kPage;
    std::uint64_t entry = 0;
    const auto at = static_cast<off_t>(page * sizeof entry);
    if (::pread(pagemap, &entry, sizeof entry, at) != sizeof entry) return true;  // not known
    if ((entry & kPresent) != 0) ++present;
  }
  return present >= kFewest;
}

// Whether a large page goes across this place: a boundary there would make many small ones of it.
bool is_in_large_page(int pagemap, Address place) {
  if (place % kLargePage == 0) return false;
  PageRegion answer;
  PagemapScan question{.start = place / kLargePage * kLargePage,
                       .end = place / kLargePage * kLargePage + kLargePage,
                       .vec = reinterpret_cast<std::uint64_t>(&answer),
                       .vec_len = 1,
                       .category_mask = kPageIsHuge,
                       .return_mask = kPageIsHuge};
  return ::ioctl(pagemap, kPagemapScan, &question) != 0;  // or not known
}

// Large pages stay whole.
Stretch without_cut_pages(int pagemap, Stretch gap) {
  if (is_in_large_page(pagemap, gap.begin)) {
    gap.begin = (gap.begin + kLargePage - 1) / kLargePage * kLargePage;
  }
  if (is_in_large_page(pagemap, gap.end)) gap.end = gap.end / kLargePage * kLargePage;
  return {gap.begin, std::max(gap.begin, gap.end)};
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

bool is_plain_memory(const Region& region) {
  const bool is_data = region.path.empty() || region.path == "[heap]";
  return is_data && region.readable && region.writable && !region.shared && region.inode == 0;
}

std::vector<Stretch> without_holes(const std::vector<Region>& regions) {
  std::vector<Stretch> all;
  for (const auto& region : regions) {
    if (is_plain_memory(region)) all.push_back({region.begin, region.end});
  }
  return all;
}

}  // namespace

Spared runs_of(const std::vector<Region>& regions) {
  Spared runs;
  const Region* before = nullptr;
  for (const auto& region : regions) {
    if (is_plain_memory(region)) {
      const bool follows = before != nullptr && is_plain_memory(*before) &&
                           region.begin - before->end <= kWidestHole;
      if (!follows) {
        runs.stretches.push_back({region.begin, region.end});
      } else {
        runs.stretches.back().end = region.end;
        if (before->end < region.begin) runs.holes.push_back({before->end, region.begin});
      }
    }
    before = &region;
  }
  return runs;
}

std::vector<Stretch> gaps_between(const std::vector<Stretch>& runs,
                                  const std::vector<Stretch>& kept, const GapLimits& limits) {
  std::vector<Stretch> gaps;
  const auto add = [&](const Stretch& run, Address begin, Address end) {
    if (begin != run.begin) begin = (begin + limits.page - 1) / limits.page * limits.page;
    if (end != run.end) end = end / limits.page * limits.page;
    if (begin < end && end - begin >= limits.smallest) gaps.push_back({begin, end});
  };
  std::size_t next = 0;
  for (const auto& run : runs) {
    auto free_from = run.begin;
    // What is kept may overlap; it is in order of where it begins.
    for (; next < kept.size() && kept[next].begin < run.end; ++next) {
      if (kept[next].begin > free_from) add(run, free_from, kept[next].begin);
      free_from = std::max(free_from, kept[next].end);
    }
    if (free_from < run.end) add(run, free_from, run.end);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const Stretch& a, const Stretch& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  return gaps;
}

std::vector<Stretch> holes_taken(const std::vector<Stretch>& holes,
                                 const std::vector<Region>& regions) {
  std::vector<Stretch> taken;
  std::copy_if(holes.begin(), holes.end(), std::back_inserter(taken), [&](const Stretch& hole) {
    const auto next = std::upper_bound(regions.begin(), regions.end(), hole.begin,
                                       [](Address a, const Region& b) { return a < b.end; });
    return next != regions.end() && next->begin < hole.end;
  });
  return taken;
}

GapLimits limits_for_less() {
  return takes_many_at_once() ? GapLimits{.smallest = kSmallestOfMany} : GapLimits{};
}

namespace {

// What is needed beside the arenas, in order.
std::vector<Stretch> kept_of(const LiveSource& source, TypeTable& types, Address smallest_gap) {
  auto kept = places_pointed_to(source, types);
  kept.insert(kept.end(), source.arenas.begin(), source.arenas.end());
  // What C++ has beside tensors' data, and only C++ knows of.
  for (const auto& mapping : without_holes(source.regions)) {
    if (mapping.end - mapping.begin < smallest_gap) continue;
    const auto small = small_pieces(source.memory, mapping, smallest_gap);
    kept.insert(kept.end(), small.begin(), small.end());
  }
  return in_order(std::move(kept));
}

Spared candidates(const LiveSource& source, TypeTable& types, bool many) {
  if (many) {
    const GapLimits limits{kSmallestOfMany, kPage};
    return {gaps_between(without_holes(source.regions), kept_of(source, types, kSmallestOfMany),
                         limits),
            {}};
  }
  auto runs = runs_of(source.regions);
  if (runs.holes.size() * kLinesWorthAHole < source.regions.size()) {
    runs = {without_holes(source.regions), {}};
  }
  const auto kept = kept_of(source, types, GapLimits{}.smallest);
  return {gaps_between(runs.stretches, kept, {}), std::move(runs.holes)};
}

}  // namespace

Spared stretches_to_spare(pid_t pid, const LiveSource& source, TypeTable& types) {
  std::uint64_t in_arenas = 0;
  for (const auto& arena : source.arenas) in_arenas += arena.end - arena.begin;
  if (anonymous_bytes(pid) < in_arenas + kWorthIt || source.regions.size() > kMostRegions ||
      has_remote_memory(source.regions)) {
    return {};
  }
  const bool many = takes_many_at_once();
  auto spared = candidates(source, types, many);
  const UniqueFd pagemap(
      ::open(fmt::format("/proc/{}/pagemap", pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (many) {
    for (auto& gap : spared.stretches) gap = without_cut_pages(pagemap.get(), gap);
  }
  std::erase_if(spared.stretches, [&](const Stretch& gap) {
    return gap.end - gap.begin < kSmallestOfMany || !is_resident(pagemap.get(), gap);
  });
  const auto most = many ? kMostOfMany : kMostOneByOne;
  if (spared.stretches.size() > most) spared.stretches.resize(most);
  return spared;
}

}  // namespace tidegauge::census
