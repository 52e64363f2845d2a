// SPDX-License-Identifier: Apache-2.0
// From page-table entries to shares: who has a page to himself, and by how many the rest is shared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "proc/deep_state.h"
#include "proc/maps.h"
#include "record/sample.h"

namespace tidegauge::proc {

// Pages of one kind that a process has in memory.
struct KindPages {
  double exclusive = 0;
  double shared = 0;
  double share = 0;  // of the shared ones: each counted as one divided by those who share it

  KindPages& operator+=(const KindPages& other);
  bool operator==(const KindPages&) const = default;
};

struct PageShares {
  KindPages anon{};
  KindPages file{};
  KindPages shmem{};

  PageShares& operator+=(const PageShares& other);
  bool operator==(const PageShares&) const = default;
};

// The same addresses in each member of a family, as /proc/PID/pagemap has them; all of one length,
// or empty for a member that has ended. Forked processes have what they share at the same address,
// so that a page which is somebody else's too is shared by those who have one there: the same one,
// where we may know which. A page that nobody else in the family has is shared with a stranger.
// `seen` is the share of the family that is in `blocks`.
std::vector<PageShares> share_pages(std::span<const std::vector<std::uint64_t>> blocks,
                                    Backing backing, double seen = 1);

// What the pages that were looked at say about the whole process. They may be a part of its pages,
// and looking at them may have taken a while: so they give proportions, and its counters before and
// after give amounts. Anonymous memory that came meanwhile is its own. Empty where the counters
// are.
Shares shares_of(const PageShares& pages, double page_bytes, const record::Memory& before,
                 const record::Memory& after);

}  // namespace tidegauge::proc
