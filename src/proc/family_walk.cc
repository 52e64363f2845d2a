// SPDX-License-Identifier: Apache-2.0
#include "proc/family_walk.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "proc/cpu_clock.h"
#include "proc/maps_reader.h"

namespace tidegauge::proc {

namespace {

// What one page-table page covers, and what the kernel reads at once while it holds the lock.
constexpr std::uint64_t kBlockPages = 512;
// A block of small pages, caches cold: 8 us on a quiet machine, 30 on a busy one.
constexpr double kBlockSeconds = 20e-6;
// Address space beyond this multiple of what is in memory is searched for pages first, where it
// comes in pieces that are worth it.
constexpr std::uint64_t kSparse = 4;
constexpr std::uint64_t kWorthSearching = 64ull << 20;
// Less than this share of the resident pages, and less than this number, say nothing of the rest.
constexpr double kEnoughShare = 0.01;
constexpr double kEnoughPages = 4096;
// [vsyscall] is listed, but is the kernel's.
constexpr std::uint64_t kKernelAddresses = 1ull << 63;
constexpr std::uint64_t kBlocksPerQuestion = 16;  // whether pages are huge

std::uint64_t page_bytes() {
  static const auto bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

double pages_in(const PageShares& pages) {
  return pages.anon.exclusive + pages.anon.shared + pages.file.exclusive + pages.file.shared +
         pages.shmem.exclusive + pages.shmem.shared;
}

void multiply(KindPages& pages, double factor) {
  pages = {pages.exclusive * factor, pages.shared * factor, pages.share * factor};
}

bool is_sparse(const std::vector<Mapping>& mappings, const record::Memory& memory) {
  std::uint64_t span = 0;
  for (const auto& mapping : mappings) span += mapping.end - mapping.begin;
  return span / kSparse > memory.rss.value_or(0);
}

}  // namespace

// Pieces of the address space in which a process may have pages, in order.
Result<std::vector<FamilyWalk::Range>> FamilyWalk::ranges_of(const Root& root, const Walked& walked,
                                                             Turns& turns) {
  const auto& target = walked.target;
  auto mappings = read_mappings(root, target.id.pid, target.folder + "maps");
  if (!mappings) return mappings.error();
  std::erase_if(*mappings, [](const Mapping& mapping) {
    return !mapping.accessible || mapping.hugetlb || mapping.begin >= kKernelAddresses;
  });
  const bool sparse = is_sparse(*mappings, target.memory);
  std::vector<Range> ranges;
  for (const auto& mapping : *mappings) {
    const Extent whole{mapping.begin, mapping.end};
    if (!sparse || whole.end - whole.begin < kWorthSearching) {
      ranges.push_back({whole, mapping.backing});
      continue;
    }
    const auto extents =
        present_extents(walked.pagemap.get(), whole, kBlockPages * page_bytes(), turns);
    if (!extents && extents.error().reason != Reason::Unsupported) return extents.error();
    if (!extents) ranges.push_back({whole, mapping.backing});
    if (!extents) continue;
    for (const auto& extent : *extents) ranges.push_back({extent, mapping.backing});
  }
  return ranges;
}

// Both in order; what both have is in the result once.
std::vector<FamilyWalk::Range> FamilyWalk::join(const std::vector<Range>& a,
                                                const std::vector<Range>& b) {
  std::vector<Range> all, joined;
  std::merge(
      a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
      [](const Range& one, const Range& other) { return one.extent.begin < other.extent.begin; });
  for (auto range : all) {
    const auto free_from = joined.empty() ? 0 : joined.back().extent.end;
    range.extent.begin = std::max(range.extent.begin, free_from);
    if (range.extent.begin < range.extent.end) joined.push_back(range);
  }
  return joined;
}

Result<FamilyWalk> FamilyWalk::begin(const Root& root, std::vector<WalkTarget> targets,
                                     double cost_seconds, double seen, Turns& turns) {
  FamilyWalk walk;
  walk.seen_ = seen;
  for (auto& target : targets) {
    const auto added = walk.add(root, std::move(target), turns);
    if (!added && walk.walked_.empty()) return added.error();
  }
  walk.entries_.resize(walk.walked_.size());
  walk.choose_stride(cost_seconds);
  return walk;
}

Result<> FamilyWalk::add(const Root& root, WalkTarget target, Turns& turns) {
  auto pagemap = root.open_file(target.id.pid, target.folder + "pagemap");
  if (!pagemap) return pagemap.error();
  Walked walked{.target = std::move(target), .pagemap = std::move(*pagemap)};
  const auto ranges = ranges_of(root, walked, turns);
  if (!ranges) return ranges.error();
  ranges_ = join(ranges_, *ranges);
  walked_.push_back(std::move(walked));
  return Ok{};
}

void FamilyWalk::choose_stride(double cost_seconds) {
  std::uint64_t blocks = 0;
  for (const auto& range : ranges_) {
    blocks += (range.extent.end - range.extent.begin) / (kBlockPages * page_bytes()) + 1;
  }
  const double all = static_cast<double>(blocks * walked_.size()) * kBlockSeconds;
  stride_ = static_cast<std::uint64_t>(std::max(1.0, all / cost_seconds));
}

bool FamilyWalk::go_on(double cpu_seconds, Turns& turns) {
  const CpuClock clock;
  const auto block_bytes = kBlockPages * page_bytes();
  while (range_ < ranges_.size()) {
    if (clock.seconds() >= cpu_seconds) return false;
    const auto& [extent, backing] = ranges_[range_];
    const auto from = std::max(address_, extent.begin);
    const auto to = std::min(extent.end, (from / block_bytes + 1) * block_bytes);
    if (count_++ % stride_ == 0) read_block({from, to}, backing, turns);
    address_ = to;
    if (to == extent.end) ++range_;
  }
  return true;
}

void FamilyWalk::read_block(const Extent& block, Backing backing, Turns& turns) {
  const auto pages = (block.end - block.begin) / page_bytes();
  const auto offset = static_cast<off_t>(block.begin / page_bytes() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    entries_[i].clear();
    if (!walked_[i].pagemap) continue;
    turns.between();
    entries_[i].resize(pages);
    const auto wanted = pages * sizeof(std::uint64_t);
    const ssize_t got = ::pread(walked_[i].pagemap.get(), entries_[i].data(), wanted, offset);
    entries_[i].resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)) / sizeof(std::uint64_t));
    // It has ended, or runs another program: what was seen so far is of no use.
    if (got <= 0) walked_[i].pagemap = UniqueFd();
  }
  const auto shares = share_pages(entries_, backing, seen_);
  for (std::size_t i = 0; i < walked_.size(); ++i) walked_[i].pages += shares[i];
  if (blocks_read_++ % kBlocksPerQuestion == 0) ask_for_huge(block);
}

void FamilyWalk::ask_for_huge(const Extent& block) {
  auto& walked = walked_[blocks_read_ / kBlocksPerQuestion % walked_.size()];
  if (!walked.pagemap) return;
  const auto share = huge_share(walked.pagemap.get(), block);
  if (!share) return;
  walked.huge += *share;
  walked.asked_huge += 1;
}

std::optional<FamilyWalk::Found> FamilyWalk::found(const record::ProcessId& id) const {
  const auto walked = std::find_if(walked_.begin(), walked_.end(),
                                   [&](const Walked& one) { return one.target.id == id; });
  if (walked == walked_.end() || !walked->pagemap) return {};
  const auto resident = static_cast<double>(walked->target.memory.rss.value_or(0) / page_bytes());
  const double seen = pages_in(walked->pages);
  Found found{.before = walked->target.memory,
              .pages = walked->pages,
              .enough = seen >= kEnoughPages || seen >= kEnoughShare * resident};
  const auto factor = static_cast<double>(stride_);
  multiply(found.pages.anon, factor);
  multiply(found.pages.file, factor);
  multiply(found.pages.shmem, factor);
  if (walked->asked_huge > 0) found.huge = walked->huge / walked->asked_huge;
  return found;
}

}  // namespace tidegauge::proc
