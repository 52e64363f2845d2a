// SPDX-License-Identifier: Apache-2.0
#include "census/spared.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/pagemap_scan.h"
#include "census/large_objects.h"
#include "census/malloc_pieces.h"

namespace tidegauge::census {

namespace {

constexpr Address kLargePage = 2 << 20;
constexpr Address kPage = 4096;
constexpr std::size_t kMost = 4096;  // of those that are found at once
// Between two of them, and of how many pieces: what is read while the process stands still.
constexpr Address kLittle = 16 << 10;
constexpr std::size_t kFewPieces = 16;
// So much beside the arenas: less is copied in a millisecond or two.
constexpr std::uint64_t kWorthIt = 64ULL << 20;
// The kernel allows 65530 mappings, and each gap makes two more for a moment.
constexpr std::size_t kMostRegions = 65'000 - 2 * kMost;

bool is_larger(const Stretch& a, const Stretch& b) {
  return a.end - a.begin > b.end - b.begin;
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

// Large pages stay whole; none goes beyond its mapping.
Stretch without_cut_pages(int pagemap, Stretch gap, const std::vector<Stretch>& mappings) {
  const auto mapping = std::upper_bound(mappings.begin(), mappings.end(), gap.begin,
                                        [](Address a, const Stretch& b) { return a < b.end; });
  if (gap.begin != mapping->begin && is_in_large_page(pagemap, gap.begin)) {
    gap.begin = (gap.begin + kLargePage - 1) / kLargePage * kLargePage;
  }
  if (gap.end != mapping->end && is_in_large_page(pagemap, gap.end)) {
    gap.end = gap.end / kLargePage * kLargePage;
  }
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

std::vector<Stretch> plain_memory_in(const std::vector<Region>& regions) {
  std::vector<Stretch> all;
  for (const auto& region : regions) {
    if (is_plain_memory(region)) all.push_back({region.begin, region.end});
  }
  return all;
}

}  // namespace

std::vector<Stretch> gaps_between(const std::vector<Stretch>& runs,
                                  const std::vector<Stretch>& kept, Address smallest) {
  std::vector<Stretch> gaps;
  const auto add = [&](const Stretch& run, Address begin, Address end) {
    if (begin != run.begin) begin = (begin + kPage - 1) / kPage * kPage;
    if (end != run.end) end = end / kPage * kPage;
    if (begin < end && end - begin >= smallest) gaps.push_back({begin, end});
  };
  std::size_t next = 0;
  for (const auto& run : runs) {
    auto free_from = run.begin;
    // What is kept may overlap; it is in order of where it begins.
    for (; next < kept.size() && kept[next].begin < run.end; ++next) {
      if (kept[next].begin > free_from) add(run, free_from, kept[next].begin);
      free_from = std::max(free_from, kept[next].end);
      if (kept[next].end > run.end) break;  // it goes on in the next one
    }
    if (free_from < run.end) add(run, free_from, run.end);
  }
  std::stable_sort(gaps.begin(), gaps.end(), is_larger);
  return gaps;
}

namespace {

// How malloc has divided what is beside the arenas.
MallocPieces all_pieces(const LiveSource& source) {
  auto plain = source.regions;
  std::erase_if(plain, [](const Region& region) { return !is_plain_memory(region); });
  MallocPieces all;
  for (const auto& stretch : beside_arenas(plain, source.arenas)) {
    if (stretch.end - stretch.begin < kSmallestSpared) continue;
    const auto some = pieces_in(source.memory, stretch, kSmallestSpared);
    all.small.insert(all.small.end(), some.small.begin(), some.small.end());
    all.large.insert(all.large.end(), some.large.begin(), some.large.end());
  }
  return all;
}

// What is needed beside the arenas, in order.
std::vector<Stretch> kept_of(const LiveSource& source, TypeTable& types) {
  auto pieces = all_pieces(source);
  auto kept = places_pointed_to(
      source, types, {kSmallestSpared, StretchMap(pieces.small), StretchMap(pieces.large)});
  kept.insert(kept.end(), source.arenas.begin(), source.arenas.end());
  // What C++ has beside tensors' data, and only C++ knows of.
  kept.insert(kept.end(), pieces.small.begin(), pieces.small.end());
  return joined(std::move(kept));
}

}  // namespace

Sparing join_over_little(std::vector<Stretch> gaps, const std::vector<Stretch>& kept,
                         const std::vector<Stretch>& mappings) {
  const StretchMap mapping_of(mappings);
  Sparing out;
  std::size_t bytes = 0;
  auto between = kept.begin();
  for (const auto& gap : in_order(std::move(gaps))) {
    auto* const before = out.spared.empty() ? nullptr : &out.spared.back();
    const bool is_near = before != nullptr && gap.begin - before->end <= kLittle &&
                         mapping_of.find(before->begin) == mapping_of.find(gap.begin);
    while (before != nullptr && between != kept.end() && between->end <= before->end) ++between;
    const auto first = between;
    std::size_t more = 0;
    for (; between != kept.end() && between->begin < gap.begin; ++between) {
      more += between->end - between->begin;
    }
    const auto pieces = static_cast<std::size_t>(between - first);
    if (is_near && pieces <= kFewPieces && bytes + more <= kMostSavedBytes) {
      before->end = gap.end;
      out.saved.insert(out.saved.end(), first, between);
      bytes += more;
    } else {
      out.spared.push_back(gap);
    }
  }
  return out;
}

Sparing what_to_spare(const Target& target, const LiveSource& source, TypeTable& types) {
  std::uint64_t in_arenas = 0;
  for (const auto& arena : source.arenas) in_arenas += arena.end - arena.begin;
  if (target.anonymous_bytes < in_arenas + kWorthIt || source.regions.size() > kMostRegions ||
      has_remote_memory(source.regions)) {
    return {};
  }
  const auto mappings = plain_memory_in(source.regions);
  const auto kept = kept_of(source, types);
  auto out = join_over_little(gaps_between(mappings, kept, kSmallestSpared), kept, mappings);
  auto& spared = out.spared;
  const int pagemap = target.pagemap.get();
  for (auto& gap : spared) gap = without_cut_pages(pagemap, gap, mappings);
  std::erase_if(spared, [&](const Stretch& gap) {
    return gap.end - gap.begin < kSmallestSpared || !is_resident(pagemap, gap);
  });
  std::stable_sort(spared.begin(), spared.end(), is_larger);
  if (spared.size() > kMost) spared.resize(kMost);
  return out;
}

}  // namespace tidegauge::census
