// SPDX-License-Identifier: Apache-2.0
#include "proc/deep_scan.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "proc/smaps_rollup.h"

namespace tidegauge::proc {

namespace {

// For the first look, all at once: until some dozens of processes were walked over nobody knows
// which pages they share, and a tree that seems to grow while we find out would be judged for it.
// With pauses some 0.6 s.
constexpr double kFirstCreditSeconds = 0.06;
constexpr double kMostCreditSeconds = 0.02;
constexpr double kMostPerLookSeconds = 0.003;  // with pauses some 30 ms

// smaps_rollup holds the address space for as long as it takes. What the target may wait is 5 ms.
// If nobody can take our core, that is the time that it takes; if somebody can, he keeps it for 3
// or 4 ms or twice that, and a shorter read is less often met by him.
constexpr double kLongestRollupSeconds = 0.003;
constexpr double kLongestDisturbableRollupSeconds = 0.001;
// Per byte of resident memory, before it was ever measured: pages shared after fork, caches cold.
constexpr double kRollupSecondsPerByte = 15e-3 / (1 << 30);
// Per byte in huge pages.
constexpr double kHugeRollupSecondsPerByte = 0.1e-3 / (1 << 30);
constexpr double kForkedIsDearer = 3;  // the same pages, now shared

// How old a result has to be before it is worth another walk: of a process that has changed, or
// that shares its pages with others than before, or that seems to be as it was.
constexpr double kChangedSeconds = 10;
constexpr double kFamilyChangedSeconds = 2;
constexpr double kUnchangedSeconds = 600;
constexpr double kUnchangedShareOfBudget = 0.2;  // what may be spent on finding nothing new
constexpr double kNoticeableChange = 0.02;

// One walk: enough for 500 blocks of a process, and 50 more for each relative.
constexpr double kWalkSeconds = 0.010;
constexpr double kWalkSecondsPerTarget = 0.001;

// After we lost our core in the middle: the machine is busy, and exactness has to wait.
constexpr double kRestSeconds = 30;

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) / 1e9;
}

double rss_of(const Watched& watched) {
  return static_cast<double>(watched.reader.last().memory.rss.value_or(0));
}

// Its resident memory, or, where pages that it shared become its own, its page faults.
bool has_changed(const Watched& watched) {
  const auto& deep = watched.deep;
  const auto faults = watched.reader.last().activity.minor_faults.value_or(0);
  const double faulted = static_cast<double>(faults - std::min(faults, deep.scanned_faults)) *
                         static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double noticeable = kNoticeableChange * std::max(deep.scanned_rss, rss_of(watched));
  return std::abs(rss_of(watched) - deep.scanned_rss) > noticeable || faulted > noticeable;
}

}  // namespace

DeepScanner::DeepScanner(const CollectOptions& options)
    : wanted_(options.deep_scans && options.deep_scan_budget > 0),
      budget_(options.deep_scan_budget),
      credit_seconds_(kFirstCreditSeconds),
      longest_rollup_seconds_(KeepCore().granted() ? kLongestRollupSeconds
                                                   : kLongestDisturbableRollupSeconds) {}

double DeepScanner::work(std::int64_t now_ns, const Root& root, std::span<Watched> members,
                         Warnings& warnings) {
  if (!wanted_) return 0;
  const bool first = !earned_ns_;
  earn(now_ns);
  if (now_ns < rest_until_ns_ || credit_seconds_ <= 0) return 0;
  if (!walk_ && most_urgent(members) == nullptr) return 0;  // as a rule
  const CpuClock clock;
  const double most = first ? credit_seconds_ : std::min(credit_seconds_, kMostPerLookSeconds);
  while (clock.seconds() < most) {
    auto* next = walk_ ? nullptr : most_urgent(members);
    if (!walk_ && next == nullptr) break;
    if (next != nullptr && may_hold_its_lock(root, *next)) {
      next->deep.not_before_ns = now_ns + static_cast<std::int64_t>(kChangedSeconds * 1e9);
      continue;
    }
    if (!turns_) turns_.emplace();
    if (walk_) {
      if (walk_->go_on(root, most - clock.seconds(), *turns_)) end_walk(members, warnings);
    } else if (suits_rollup(*next)) {
      read_rollup(root, *next, warnings);
    } else {
      begin_walk(root, *next, members);
    }
    if (turns_->disturbed()) {
      rest_until_ns_ = now_ns + static_cast<std::int64_t>(kRestSeconds * 1e9);
      break;
    }
  }
  turns_.reset();
  credit_seconds_ -= clock.seconds();
  return clock.seconds();
}

void DeepScanner::earn(std::int64_t now_ns) {
  if (earned_ns_) {
    credit_seconds_ += budget_ * seconds_between(*earned_ns_, now_ns);
    credit_seconds_ = std::min(credit_seconds_, kMostCreditSeconds);
  }
  earned_ns_ = now_ns;
  now_ns_ = now_ns;
}

bool DeepScanner::is_due(const Watched& watched) const {
  const auto& deep = watched.deep;
  if (deep.denied || now_ns_ < deep.not_before_ns || rss_of(watched) == 0) return false;
  if (!deep.scanned_ns) return true;
  const double age = seconds_between(*deep.scanned_ns, now_ns_);
  if (deep.family_changed && age >= kFamilyChangedSeconds) return true;
  if (age >= kChangedSeconds && has_changed(watched)) return true;
  return age >=
         std::max(kUnchangedSeconds, deep.cost_seconds / (kUnchangedShareOfBudget * budget_));
}

// Those never looked at come first: of them one that has to be walked over, since that tells of its
// relatives too, then small ones before big ones. Then the one looked at longest ago.
Watched* DeepScanner::most_urgent(std::span<Watched> members) const {
  Watched* best = nullptr;
  const auto more_urgent = [this](const Watched& a, const Watched& b) {
    if (!a.deep.scanned_ns && !b.deep.scanned_ns) {
      const bool a_small = suits_rollup(a), b_small = suits_rollup(b);
      return a_small == b_small ? rss_of(a) < rss_of(b) : b_small;
    }
    return a.deep.scanned_ns < b.deep.scanned_ns;  // empty is less than any
  };
  for (auto& watched : members) {
    if (!is_due(watched)) continue;
    if (best == nullptr || more_urgent(watched, *best)) best = &watched;
  }
  return best;
}

bool DeepScanner::suits_rollup(const Watched& watched) const {
  const auto& deep = watched.deep;
  double per_byte = deep.rollup_seconds_per_byte.value_or(kRollupSecondsPerByte);
  if (deep.rollup_seconds_per_byte && deep.family_changed) per_byte *= kForkedIsDearer;
  return per_byte * rss_of(watched) <= longest_rollup_seconds_;
}

void DeepScanner::read_rollup(const Root& root, Watched& watched, Warnings& warnings) {
  turns_->pause();  // to begin with a core that nobody else is waiting for longer than we did
  const CpuClock clock;
  const auto text = root.read(watched.process.id.pid, watched.reader.folder() + "smaps_rollup");
  const double cost = clock.seconds();
  if (!text) return give_up(watched, text.error(), warnings);
  const auto rollup = parse_smaps_rollup(*text);
  if (!rollup) return give_up(watched, rollup.error(), warnings);
  watched.deep.rollup_seconds_per_byte = cost / std::max(rss_of(watched), 1.0);
  watched.deep.cost_seconds = cost;
  take(watched, {rollup->uss, rollup->pss, rollup->pss_anon, rollup->pss_file, rollup->pss_shmem});
}

void DeepScanner::begin_walk(const Root& root, const Watched& first,
                             std::span<const Watched> members) {
  std::vector<WalkTarget> targets;
  const auto target = [](const Watched& watched) {
    return WalkTarget{watched.process.id, watched.reader.folder(), watched.reader.last().memory};
  };
  targets.push_back(target(first));
  double family = 1;
  for (const auto& watched : members) {
    if (!watched.image.known() || watched.image != first.image) continue;
    if (watched.process.id == first.process.id) continue;
    family += 1;
    const bool room = targets.size() < FamilyWalk::kMostTargets;
    if (room && !may_hold_its_lock(root, watched)) targets.push_back(target(watched));
  }
  const auto count = static_cast<double>(targets.size());
  const double seen = family > 1 ? (count - 1) / (family - 1) : 1;
  walk_cost_seconds_ = kWalkSeconds + kWalkSecondsPerTarget * count;
  walk_.emplace(std::move(targets), walk_cost_seconds_, seen);
  walk_for_ = first.process.id;
}

void DeepScanner::end_walk(std::span<Watched> members, Warnings& warnings) {
  const auto walk = std::exchange(walk_, {});
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  for (auto& watched : members) {
    const auto found = walk->found(watched.process.id);
    if (!found && watched.process.id == walk_for_) {
      give_up(watched, walk->failed().value_or(Error{Reason::Gone, "ended"}), warnings);
    }
    if (!found) continue;
    if (found->huge) {
      watched.deep.rollup_seconds_per_byte =
          *found->huge * kHugeRollupSecondsPerByte + (1 - *found->huge) * kRollupSecondsPerByte;
    }
    watched.deep.cost_seconds = walk_cost_seconds_;
    take(watched, found->enough ? shares_of(found->pages, page_bytes, found->before,
                                            watched.reader.last().memory)
                                : Shares{});
  }
}

void DeepScanner::take(Watched& watched, const Shares& shares) {
  auto& deep = watched.deep;
  deep.scanned_ns = now_ns_;
  deep.scanned_rss = rss_of(watched);
  deep.scanned_faults = watched.reader.last().activity.minor_faults.value_or(0);
  deep.family_changed = false;
  if (shares.pss) deep.fresh = shares;
}

void DeepScanner::give_up(Watched& watched, const Error& why, Warnings& warnings) {
  watched.deep.scanned_ns = now_ns_;
  watched.deep.family_changed = false;
  if (why.reason != Reason::Denied) return;  // it has ended, or will say more next time
  watched.deep.denied = true;
  warnings.once(Warnings::About::OthersProcess, not_ours_to_read(watched.process));
}

}  // namespace tidegauge::proc
