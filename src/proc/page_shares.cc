// SPDX-License-Identifier: Apache-2.0
#include "proc/page_shares.h"

#include <algorithm>
#include <cmath>

#include "proc/pagemap.h"

namespace tidegauge::proc {

namespace {

KindPages& kind_of(PageShares& shares, const PagemapEntry& entry, Backing backing) {
  if (!entry.file) return shares.anon;
  return backing == Backing::Shmem ? shares.shmem : shares.file;
}

// One address: those who share a page there.
struct Sharer {
  std::size_t member = 0;
  PagemapEntry entry{};
};

// Takes the sharers of one and the same page off the end of `sharers`.
void divide_one_page(std::vector<Sharer>& sharers, std::span<PageShares> shares, Backing backing,
                     double seen) {
  const auto frame = sharers.back().entry.frame;
  const auto same = std::partition(sharers.begin(), sharers.end(), [&](const Sharer& sharer) {
    return sharer.entry.frame != frame;
  });
  // Where none of the others could be asked, nothing is known of them but that there is one.
  const auto asked = static_cast<double>(sharers.end() - same - 1);
  const double share = 1 / (1 + (seen > 0 ? std::max(asked / seen, 1.0) : 1.0));
  for (auto sharer = same; sharer != sharers.end(); ++sharer) {
    auto& kind = kind_of(shares[sharer->member], sharer->entry, backing);
    kind.shared += 1;
    kind.share += share;
  }
  sharers.erase(same, sharers.end());
}

struct Parts {
  record::Bytes own{};
  record::Bytes with_share{};
};

// What was neither there when we began to look nor looked at since.
double come_since(const KindPages& pages, double page_bytes, record::Bytes before,
                  record::Bytes after) {
  const double seen = (pages.exclusive + pages.shared) * page_bytes;
  const double known = std::max(static_cast<double>(before.value_or(*after)), seen);
  return std::max(0.0, static_cast<double>(*after) - known);
}

// `own` of what the counter says, and the rest in proportion to `pages`.
Parts parts_of(const KindPages& pages, double page_bytes, record::Bytes before, record::Bytes after,
               double own = 0) {
  if (!after) return {};
  if (pages.exclusive + pages.shared == 0) return {0, 0};
  const auto counter = static_cast<double>(*after) - own;
  // The page of zeros is present wherever memory was read but never written, and is in no counter:
  // pages beyond the counter are it. Counted against the mean of both, since the process went on
  // while we looked.
  const auto most = (static_cast<double>(before.value_or(*after)) + counter) / 2 / page_bytes;
  const double shared = std::clamp(most - pages.exclusive, 0.0, pages.shared);
  const double share = pages.shared > 0 ? pages.share * shared / pages.shared : 0;
  const double all = pages.exclusive + shared;
  if (all == 0) return {0, 0};
  const auto bytes = [&](double part) {
    return static_cast<std::uint64_t>(std::llround(own + counter * std::min(part / all, 1.0)));
  };
  return {bytes(pages.exclusive), bytes(pages.exclusive + share)};
}

// Anonymous memory is shared by a fork and not afterwards: what has come since is the process's
// own. Looking at a large family takes many seconds, in which it may double.
Parts anon_parts(const KindPages& pages, double page_bytes, record::Bytes before,
                 record::Bytes after) {
  const double own = after ? come_since(pages, page_bytes, before, after) : 0;
  return parts_of(pages, page_bytes, before, after, own);
}

}  // namespace

KindPages& KindPages::operator+=(const KindPages& other) {
  exclusive += other.exclusive;
  shared += other.shared;
  share += other.share;
  return *this;
}

PageShares& PageShares::operator+=(const PageShares& other) {
  anon += other.anon;
  file += other.file;
  shmem += other.shmem;
  return *this;
}

std::vector<PageShares> share_pages(std::span<const std::vector<std::uint64_t>> blocks,
                                    Backing backing, double seen) {
  std::vector<PageShares> shares(blocks.size());
  std::size_t pages = 0;
  for (const auto& block : blocks) pages = std::max(pages, block.size());
  std::vector<Sharer> sharers;
  for (std::size_t page = 0; page < pages; ++page) {
    for (std::size_t member = 0; member < blocks.size(); ++member) {
      if (page >= blocks[member].size()) continue;
      const auto entry = decode_pagemap(blocks[member][page]);
      if (entry.exclusive) {
        kind_of(shares[member], entry, backing).exclusive += 1;
      } else if (entry.present) {
        sharers.push_back({member, entry});
      }
    }
    while (!sharers.empty()) divide_one_page(sharers, shares, backing, seen);
  }
  return shares;
}

Shares shares_of(const PageShares& pages, double page_bytes, const record::Memory& before,
                 const record::Memory& after) {
  const auto anon = anon_parts(pages.anon, page_bytes, before.anon, after.anon);
  const auto file = parts_of(pages.file, page_bytes, before.file, after.file);
  const auto shmem = parts_of(pages.shmem, page_bytes, before.shmem, after.shmem);
  if (!anon.own || !file.own || !shmem.own) return {};
  return {.uss = *anon.own + *file.own + *shmem.own,
          .pss = *anon.with_share + *file.with_share + *shmem.with_share,
          .pss_anon = anon.with_share,
          .pss_file = file.with_share,
          .pss_shmem = shmem.with_share};
}

}  // namespace tidegauge::proc
