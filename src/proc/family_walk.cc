// SPDX-License-Identifier: Apache-2.0
#include "proc/family_walk.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/clock.h"
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

std::uint64_t block_bytes() {
  return kBlockPages * page_bytes();
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

FamilyWalk::FamilyWalk(std::vector<WalkTarget> targets, double cost_seconds, double seen)
    : targets_(std::move(targets)), cost_seconds_(cost_seconds), seen_(seen) {
  if (targets_.size() > kMostTargets) targets_.resize(kMostTargets);
  std::reverse(targets_.begin(), targets_.end());
}

bool FamilyWalk::is_done() const {
  return failed_ || (!search_ && targets_.empty() && stride_ > 0 && range_ == ranges_.size());
}

bool FamilyWalk::go_on(const Root& root, double cpu_seconds, Turns& turns) {
  const CpuClock clock;
  while (!is_done() && clock.seconds() < cpu_seconds) {
    turns.between();
    if (search_) {
      search_on();
    } else if (!targets_.empty()) {
      add_target(root, turns);
    } else if (stride_ == 0) {
      choose_stride();
    } else {
      pass_block(turns);
    }
  }
  return is_done();
}

void FamilyWalk::add_target(const Root& root, Turns& turns) {
  auto target = std::move(targets_.back());
  targets_.pop_back();
  const auto done = open_target(root, std::move(target), turns);
  if (!done && walked_.empty()) failed_ = done.error();
  turns.between();
}

Result<> FamilyWalk::open_target(const Root& root, WalkTarget target, Turns& turns) {
  auto pagemap = root.open_file(target.id.pid, target.folder + "pagemap");
  if (!pagemap) return pagemap.error();
  auto mappings = read_mappings(root, target.id.pid, target.folder + "maps", turns);
  if (!mappings) return mappings.error();
  std::erase_if(*mappings, [](const Mapping& mapping) {
    return !mapping.accessible || mapping.hugetlb || mapping.begin >= kKernelAddresses;
  });
  const bool sparse = is_sparse(*mappings, target.memory);
  std::reverse(mappings->begin(), mappings->end());
  search_ = Search{.mappings = std::move(*mappings), .sparse = sparse};
  walked_.push_back({.target = std::move(target), .pagemap = std::move(*pagemap)});
  return Ok{};
}

// Takes one mapping, or looks for pages in a part of one.
void FamilyWalk::search_on() {
  if (search_->mappings.empty()) return end_search();
  const auto& mapping = search_->mappings.back();
  const Extent whole{mapping.begin, mapping.end};
  const std::uint32_t member = 1u << (walked_.size() - 1);
  if (search_->sparse && whole.bytes() >= kWorthSearching) {
    if (!search_->scan) search_->scan.emplace(whole, block_bytes());
    if (search_->scan->go_on(walked_.back().pagemap.get()) && !search_->scan->done()) return;
  }
  if (search_->scan && search_->scan->done()) {
    for (const auto& extent : search_->scan->found()) {
      search_->ranges.push_back({extent, mapping.backing, member});
    }
  } else {
    search_->ranges.push_back({whole, mapping.backing, member});  // cannot be searched
  }
  search_->scan.reset();
  search_->mappings.pop_back();
}

void FamilyWalk::end_search() {
  ranges_ = join(ranges_, search_->ranges);
  search_.reset();
}

void FamilyWalk::choose_stride() {
  std::uint64_t blocks = 0;
  for (const auto& range : ranges_) {
    const auto members = static_cast<std::uint64_t>(std::popcount(range.members));
    blocks += (range.extent.bytes() / block_bytes() + 1) * members;
  }
  const double all = static_cast<double>(blocks) * kBlockSeconds;
  stride_ = static_cast<std::uint64_t>(std::max(1.0, all / cost_seconds_));
  entries_.resize(walked_.size());
}

void FamilyWalk::pass_block(Turns& turns) {
  const auto& range = ranges_[range_];
  const auto from = std::max(address_, range.extent.begin);
  const auto to = std::min(range.extent.end, (from / block_bytes() + 1) * block_bytes());
  if (passed_++ % stride_ == 0) read_block({from, to}, range, turns);
  address_ = to;
  if (to == range.extent.end) ++range_;
}

void FamilyWalk::read_block(const Extent& block, const AddressRange& range, Turns& turns) {
  const auto pages = block.bytes() / page_bytes();
  const auto offset = static_cast<off_t>(block.begin / page_bytes() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < walked_.size(); ++i) {
    entries_[i].clear();
    if (!walked_[i].pagemap || (range.members >> i & 1) == 0) continue;
    turns.between();
    entries_[i].resize(pages);
    const auto wanted = pages * sizeof(std::uint64_t);
    const ssize_t got = ::pread(walked_[i].pagemap.get(), entries_[i].data(), wanted, offset);
    entries_[i].resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)) / sizeof(std::uint64_t));
    // It has ended, or runs another program: what was seen so far is of no use.
    if (got <= 0) walked_[i].pagemap = UniqueFd();
  }
  const auto shares = share_pages(entries_, range.backing, seen_);
  for (std::size_t i = 0; i < walked_.size(); ++i) walked_[i].pages += shares[i];
  if (read_++ % kBlocksPerQuestion == 0) ask_for_huge(block);
}

void FamilyWalk::ask_for_huge(const Extent& block) {
  auto& walked = walked_[read_ / kBlocksPerQuestion % walked_.size()];
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
  const auto resident = static_cast<double>(walked->target.memory.rss.value_or(0)) /
                        static_cast<double>(page_bytes());
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
