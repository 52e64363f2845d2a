// SPDX-License-Identifier: Apache-2.0
#include "verdict/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verdict/tree.h"

namespace tidegauge::verdict {

namespace {

// Readers account for the tree's growth from this share of it on, and for all of it from that.
constexpr double kMost = 0.6;
constexpr double kAll = 0.9;

double first_read_at(const Watched& watched, const std::vector<record::ProcessId>& readers) {
  double since = watched.total().last_at();
  for (const auto& id : readers) {
    since = std::min(since, watched.marks().readers().at(id).distinct.first_at());
  }
  return since;
}

double share(const Watched& watched, const std::vector<record::ProcessId>& readers) {
  return share_of_growth(watched.members(), readers, first_read_at(watched, readers),
                         watched.total().last_at());
}

}  // namespace

std::vector<record::ProcessId> growing_readers(const Watched& watched) {
  const double now = watched.total().last_at();
  std::vector<record::ProcessId> readers;
  for (const auto& [id, reads] : watched.marks().readers()) {
    const auto member = watched.members().all().find(id);
    const bool lives = member != watched.members().all().end() && member->second.last_seen >= now;
    if (lives) readers.push_back(id);
  }
  if (readers.size() < 2 || share(watched, readers) < kMost) return {};
  return readers;
}

PassClock clock_of_tree(const Watched& watched, const Rules& rules,
                        const std::vector<record::ProcessId>& readers) {
  const auto& marks = watched.marks();
  return {marks, rules, watched.counts_steps(),
          readers.empty() ? reads_of_the_job(marks) : reads_of_each(marks, readers)};
}

std::optional<FirstReads> first_reads_of(const Watched& watched, const Rules& rules,
                                         const std::vector<record::ProcessId>& readers,
                                         double level_now) {
  if (readers.empty() || share(watched, readers) < kAll) return {};
  FirstReads sum{.end_level = level_now};
  double bytes = 0;
  for (const auto& id : readers) {
    const BlockSeries& own = watched.members().all().at(id).own;
    const PassClock passes(watched.marks(), rules, watched.counts_steps(),
                           reads_of_each(watched.marks(), {&id, 1}));
    const Material about{.series = &own,
                         .marks = &watched.marks(),
                         .passes = &passes,
                         .rules = &rules,
                         .points = own.points()};
    const auto setting = prepare(about);
    const auto reads = setting ? growth_by_first_reads(*setting) : std::nullopt;
    if (!reads) return {};
    bytes += reads->bytes_per_example * reads->read;
    sum.read += reads->read;
    sum.all += reads->all;
    sum.not_excluded += reads->not_excluded;
    sum.end_level += reads->bytes_per_example * std::max(0.0, reads->all - reads->read);
  }
  sum.bytes_per_example = bytes / std::max(sum.read, 1.0);
  return sum;
}

std::string how_far(const Watched& watched, const std::vector<record::ProcessId>& readers) {
  if (readers.empty()) return {};
  double least = INFINITY;
  double most = 0;
  double all = 0;
  for (const auto& id : readers) {
    const auto& reads = watched.marks().readers().at(id);
    least = std::min(least, reads.distinct.last_count());
    most = std::max(most, reads.distinct.last_count());
    all = std::max(all, reads.all);
  }
  if (least >= all) {
    return fmt::format("{} processes read the data, and each has read all {:.0f} examples now.",
                       readers.size(), all);
  }
  return fmt::format(
      "{} processes read the data, each for itself: they have read {:.0f} to {:.0f} of {:.0f} "
      "examples so far, and growth that goes with that ends for each when it has read all.",
      readers.size(), least, most, all);
}

}  // namespace tidegauge::verdict
