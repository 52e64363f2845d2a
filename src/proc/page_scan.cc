// SPDX-License-Identifier: Apache-2.0
#include "proc/page_scan.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/clock.h"
#include "base/pagemap_scan.h"

namespace tidegauge::proc {

namespace {

// The kernel holds the address space over one call: 32 MB of small pages take 50 to 200 us, empty
// address space next to nothing.
constexpr std::uint64_t kShortestSpan = 2ull << 20;
constexpr std::uint64_t kLongestSpan = 1ull << 40;
constexpr double kCheapSeconds = 20e-6;
constexpr double kDearSeconds = 100e-6;

struct Regions {
  std::array<PageRegion, 512> all{};
  std::size_t count = 0;
  std::uint64_t stopped = 0;  // where it stopped: after the last page, or because `all` is full
};

// Regions of pages in memory.
Result<Regions> present_regions(int pagemap, const Extent& within) {
  Regions regions;
  PagemapScan arguments{.start = within.begin,
                        .end = within.end,
                        .vec = reinterpret_cast<std::uint64_t>(regions.all.data()),
                        .vec_len = regions.all.size(),
                        .category_mask = kPageIsPresent,
                        .return_mask = kPageIsHuge};
  const int found = ::ioctl(pagemap, kPagemapScan, &arguments);
  if (found < 0 && (errno == ENOTTY || errno == EINVAL)) {
    return Error{Reason::Unsupported, "pagemap: no PAGEMAP_SCAN"};
  }
  if (found < 0) return from_errno(errno, "pagemap");
  regions.count = static_cast<std::size_t>(found);
  regions.stopped = arguments.walk_end;
  return regions;
}

}  // namespace

Result<> PresentScan::go_on(int pagemap) {
  const CpuClock clock;
  const auto regions =
      present_regions(pagemap, {rest_.begin, rest_.begin + std::min(span_, rest_.bytes())});
  if (!regions) return regions.error();
  for (std::size_t i = 0; i < regions->count; ++i) {
    const auto& region = regions->all[i];
    if (!found_.empty() && region.start - found_.back().end < join_bytes_) {
      found_.back().end = region.end;
    } else {
      found_.push_back({region.start, region.end});
    }
  }
  if (regions->stopped <= rest_.begin) return Error{Reason::Failed, "pagemap: no progress"};
  rest_.begin = regions->stopped;
  if (clock.seconds() < kCheapSeconds) span_ = std::min(span_ * 2, kLongestSpan);
  if (clock.seconds() > kDearSeconds) span_ = std::max(span_ / 2, kShortestSpan);
  return Ok{};
}

std::optional<double> huge_share(int pagemap, const Extent& within) {
  const auto regions = present_regions(pagemap, within);
  if (!regions) return {};
  double huge = 0, all = 0;
  for (std::size_t i = 0; i < regions->count; ++i) {
    const auto& region = regions->all[i];
    const auto bytes = static_cast<double>(region.end - region.start);
    all += bytes;
    if (region.categories & kPageIsHuge) huge += bytes;
  }
  if (all == 0) return {};
  return huge / all;
}

}  // namespace tidegauge::proc
