// SPDX-License-Identifier: Apache-2.0
#include "view/oom_kills.h"

#include <algorithm>
#include <utility>

#include "view/progress.h"

namespace tidegauge::view {

namespace {

constexpr double kKilled = 137;  // 128 + SIGKILL
// One that held a lot is counted as killed when it is told to die, and takes its time to give all
// of that back.
constexpr double kSlowestDeath = 10;      // seconds
constexpr std::size_t kMostEnds = 64;     // in one look
constexpr std::size_t kGroupBytes = 512;  // of a path

// What nothing but a kill can free: page cache is dropped before anybody dies.
std::uint64_t held(const record::Cgroup& group) {
  const auto current = group.current.value_or(0);
  return current - std::min(current, group.file.value_or(0));
}

// Where least is left is what is full first: what the job takes is taken from all of them.
std::optional<RanOut> least_left(const record::Sample& sample) {
  std::optional<RanOut> out;
  std::uint64_t least = 0;
  for (const auto& group : sample.cgroups) {
    if (!group.limit) continue;
    const auto left = *group.limit - std::min(*group.limit, held(group));
    if (out && left >= least) continue;
    out = RanOut{group.limit};
    least = left;
  }
  // Without a limit in sight there may be one that is not: a container does not see those above it.
  if (out && sample.machine && sample.machine->available.value_or(least) < least) out = RanOut{};
  return out;
}

}  // namespace

void OomKills::look(const record::Sample& sample) {
  looked_at_ = seconds_of(sample.at_ns);
  ends_.clear();
  if (sample.cgroups.empty()) return;
  own_group_ = sample.cgroups.front().path;
  alone_ = sample.cgroups.front().exclusive;
  least_left_ = least_left(sample);
}

Kill::Fit OomKills::fit_of(const Kill& kill, const End& end) const {
  // Whoever is in the job's own group is counted there.
  if (!kill.own_group) return Kill::Fit::None;
  const bool next = looked_at_ <= kill.at;  // it was found in the next look at the latest
  if (!next && end.at > kill.at + kSlowestDeath) return Kill::Fit::None;
  if (end.status) return *end.status == kKilled ? Kill::Fit::DiedOfIt : Kill::Fit::None;
  if (end.at == kill.at) return Kill::Fit::EndedThen;
  // Only who holds much takes longer, and the kernel kills the largest.
  return next || end.largest ? Kill::Fit::EndedLater : Kill::Fit::None;
}

bool OomKills::take(Kill& kill, const End& end) const {
  const auto fit = fit_of(kill, end);
  if (fit == Kill::Fit::None || fit < kill.fit) return false;
  if (fit > kill.fit) {
    kill.fitting = 0;
    kill.victim = end;
  }
  kill.fit = fit;
  ++kill.fitting;
  return true;
}

void OomKills::add_kill(const record::Event& event) {
  const auto at = seconds_of(event.at_ns);
  // A group and those above it all count the same one; the innermost comes first.
  if (told_at_ == at) return;
  told_at_ = at;
  Kill kill{.at = at,
            .group = event.name.substr(0, kGroupBytes),
            .own_group = own_group_.empty() || event.name == own_group_};
  // Somebody else's group may have had a limit of its own.
  if (kill.own_group) kill.ran_out = least_left_;
  for (const auto& end : ends_) take(kill, end);
  const bool the_jobs = kill.own_group && (alone_ || kill.fit != Kill::Fit::None);
  auto& before = the_jobs ? of_job_ : of_others_;
  kill.times = (before ? before->times : 0) + 1;
  before = std::move(kill);
  ++news_;
}

void OomKills::add_end(End end) {
  if (of_others_ && of_others_->at == told_at_) {
    if (take(*of_others_, end)) {  // so it was one of the job
      of_others_->times = (of_job_ ? of_job_->times : 0) + 1;
      of_job_ = std::exchange(of_others_, {});
      ++news_;
    }
  } else if (of_job_ && of_job_->at == told_at_ && take(*of_job_, end)) {
    ++news_;
  }
  if (ends_.size() < kMostEnds) ends_.push_back(std::move(end));
}

}  // namespace tidegauge::view
