// SPDX-License-Identifier: Apache-2.0
#include "proc/page_scan.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "proc/cpu_clock.h"

namespace tidegauge::proc {

namespace {

// From the kernel's include/uapi/linux/fs.h, which the headers we build with are older than.
struct PageRegion {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t categories = 0;
};
struct ScanArguments {
  std::uint64_t size = sizeof(ScanArguments);
  std::uint64_t flags = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t walk_end = 0;  // out: where it stopped
  std::uint64_t vec = 0;
  std::uint64_t vec_len = 0;
  std::uint64_t max_pages = 0;
  std::uint64_t category_inverted = 0;
  std::uint64_t category_mask = 0;
  std::uint64_t category_anyof_mask = 0;
  std::uint64_t return_mask = 0;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);
constexpr std::uint64_t kPresent = 1 << 3;
constexpr std::uint64_t kHuge = 1 << 6;

// The kernel holds the address space over one call: 32 MB of small pages take 50 to 200 us, empty
// address space next to nothing.
constexpr std::uint64_t kFirstSpan = 32ull << 20;
constexpr std::uint64_t kLongestSpan = 1ull << 40;
constexpr double kCheapSeconds = 20e-6;
constexpr double kDearSeconds = 100e-6;

class Scan {
 public:
  // Regions of present pages from `within.begin` on; `stopped` is where it stopped.
  Result<std::vector<PageRegion>> next(int pagemap, const Extent& within) {
    ScanArguments arguments{.start = within.begin,
                            .end = within.end,
                            .vec = reinterpret_cast<std::uint64_t>(regions_.data()),
                            .vec_len = regions_.size(),
                            .category_mask = kPresent,
                            .return_mask = kHuge};
    const int found = ::ioctl(pagemap, kPagemapScan, &arguments);
    if (found < 0 && (errno == ENOTTY || errno == EINVAL)) {
      return Error{Reason::Unsupported, "pagemap: no PAGEMAP_SCAN"};
    }
    if (found < 0) return from_errno(errno, "pagemap");
    stopped_ = arguments.walk_end;
    return std::vector<PageRegion>(regions_.begin(), regions_.begin() + found);
  }
  std::uint64_t stopped() const { return stopped_; }

 private:
  std::array<PageRegion, 512> regions_;
  std::uint64_t stopped_ = 0;
};

}  // namespace

Result<std::vector<Extent>> present_extents(int pagemap, const Extent& within,
                                            std::uint64_t join_bytes, Turns& turns) {
  std::vector<Extent> extents;
  Scan scan;
  auto span = kFirstSpan;
  for (auto at = within.begin; at < within.end;) {
    turns.between();
    const CpuClock clock;
    const auto regions = scan.next(pagemap, {at, at + std::min(span, within.end - at)});
    if (!regions) return regions.error();
    for (const auto& region : *regions) {
      if (!extents.empty() && region.start - extents.back().end < join_bytes) {
        extents.back().end = region.end;
      } else {
        extents.push_back({region.start, region.end});
      }
    }
    if (scan.stopped() <= at) break;  // no progress: not to be repeated for ever
    at = scan.stopped();
    if (clock.seconds() < kCheapSeconds) span = std::min(span * 2, kLongestSpan);
    if (clock.seconds() > kDearSeconds) span = std::max(span / 2, kFirstSpan / 16);
  }
  return extents;
}

std::optional<double> huge_share(int pagemap, const Extent& within) {
  Scan scan;
  const auto regions = scan.next(pagemap, within);
  if (!regions) return {};
  double huge = 0, all = 0;
  for (const auto& region : *regions) {
    const auto bytes = static_cast<double>(region.end - region.start);
    all += bytes;
    if (region.categories & kHuge) huge += bytes;
  }
  if (all == 0) return {};
  return huge / all;
}

}  // namespace tidegauge::proc
