// SPDX-License-Identifier: Apache-2.0
#include "record/mark_choice.h"

#include <algorithm>
#include <utility>

namespace tidegauge::record {

namespace {

// What somebody who scribbles in the ring can make us remember.
constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostOfAKind = 256;

// A leader is silent when another made this many times the steps that it usually makes between two
// of the leader's, and a few more: an evaluation silences all of them alike.
constexpr std::uint64_t kSilentTimes = 4;
constexpr std::uint64_t kSilentAtLeast = 16;

// Without any step, so many batches tell what a loader is for: more than the sanity check of a
// trainer takes before it begins.
constexpr std::uint64_t kBatchesThatTell = 16;
// An evaluation's last batch may come after the batch of the next step was prefetched.
constexpr std::uint64_t kStepsThatTell = 4;

template <class Map>
bool has_room(const Map& map, const typename Map::key_type& key) {
  return map.size() < kMostOfAKind || map.contains(key);
}

}  // namespace

std::optional<double> RisingCount::add(double number) {
  if (number == last_) return {};
  if (number < last_) before_ += last_;
  last_ = number;
  return before_ + number;
}

void RisingCount::begin_anew(double first) {
  before_ += last_ - (first - 1);
  last_ = first - 1;
}

std::optional<double> OptimizerChoice::add(std::uint32_t which, double number) {
  if (!leader_) leader_ = which;
  if (which != *leader_) {
    if (!has_room(others_, which)) return {};
    if (++others_[which] <= kSilentTimes * usual_ + kSilentAtLeast) return {};
    leader_ = which;
    others_.clear();
    usual_ = 0;
    count_.begin_anew(number);
    return count_.add(number);
  }
  for (const auto& [other, steps] : others_) usual_ = std::max(usual_, steps);
  others_.clear();
  return count_.add(number);
}

void LoaderChoice::begin_pass(std::uint32_t which, std::uint64_t data_set) {
  if (!has_room(loaders_, which)) return;
  loaders_[which] = data_set;
  if (which == chosen_) batches_.begin_anew();
}

// One more reason to choose `which`; `enough` in a row decide.
void LoaderChoice::support(std::uint32_t which, std::uint64_t enough) {
  in_a_row_ = which == rival_ ? in_a_row_ + 1 : 1;
  rival_ = which;
  if (in_a_row_ < enough || which == chosen_) return;
  chosen_ = which;
  batches_.begin_anew();
}

std::optional<double> LoaderChoice::add_batch(std::uint32_t which, double number) {
  if (!has_room(loaders_, which)) return {};
  loaders_.try_emplace(which);
  last_ = which;
  if (!stepped_) support(which, kBatchesThatTell);
  return which == chosen_ ? batches_.add(number) : std::nullopt;
}

void LoaderChoice::add_step() {
  if (!last_) return;
  if (!stepped_) chosen_.reset();  // what batches alone made us believe
  stepped_ = true;
  support(*last_, chosen_ ? kStepsThatTell : 1);
}

std::optional<std::uint32_t> LoaderChoice::chosen() const {
  return chosen_;
}

std::optional<std::uint64_t> LoaderChoice::data_set() const {
  if (!chosen_) return {};
  return loaders_.at(*chosen_);
}

MarkChoice::Job& MarkChoice::job_of(const ProcessId& process) {
  if (jobs_.size() >= kMostProcesses && !jobs_.contains(process)) jobs_.erase(jobs_.begin());
  return jobs_[process];
}

std::vector<Event> MarkChoice::choose(std::vector<JobMark> marks) {
  std::vector<Event> all;
  all.reserve(marks.size());
  for (auto& mark : marks) {
    auto& job = job_of(mark.event.process);
    for (auto& event : choose(job, std::move(mark))) all.push_back(std::move(event));
  }
  return all;
}

MarkChoice::Events MarkChoice::choose(Job& job, JobMark mark) {
  switch (mark.event.kind) {
    case EventKind::Step:
      return step(job, std::move(mark));
    case EventKind::Epoch:
      return epoch(job, std::move(mark));
    case EventKind::Distinct:
      return distinct(job, std::move(mark));
    default:
      return {std::move(mark.event)};
  }
}

MarkChoice::Events MarkChoice::step(Job& job, JobMark mark) {
  auto& event = mark.event;
  const double number = event.value.value_or(0);
  std::optional<double> count;
  switch (event.source) {
    case MarkSource::Optimizer:
      count = job.optimizer.add(mark.which, number);
      break;
    case MarkSource::Framework:
      // A trainer that drives another one counts for both: it has the lower number.
      if (has_room(job.trainers, mark.which)) {
        auto& trainer = job.trainers[mark.which];
        if (job.trainers.begin()->first == mark.which) count = trainer.add(number);
      }
      break;
    case MarkSource::Loader:
      count = job.loader.add_batch(mark.which, number);
      break;
    default:
      count = number;  // its own word
      break;
  }
  if (count && event.source != MarkSource::Loader) job.loader.add_step();
  auto all = understood(job, event.at_ns);
  if (!count) return all;
  if (event.total) *event.total += *count - number;
  event.value = count;
  all.push_back(std::move(event));
  return all;
}

MarkChoice::Events MarkChoice::epoch(Job& job, JobMark mark) {
  if (mark.event.source != MarkSource::Loader) {
    job.tells_epochs = true;
    job.held_epochs.clear();
    return {std::move(mark.event)};
  }
  job.loader.begin_pass(mark.which, mark.data_set);
  if (job.tells_epochs || !has_room(job.held_epochs, mark.which)) return {};
  const auto at_ns = mark.event.at_ns;
  job.held_epochs[mark.which] = std::move(mark.event);
  return understood(job, at_ns);
}

MarkChoice::Events MarkChoice::distinct(Job& job, JobMark mark) {
  if (mark.event.source != MarkSource::Loader) return {std::move(mark.event)};
  if (job.loader.any()) {
    if (!has_room(job.held_distinct, mark.which)) return {};
    const auto at_ns = mark.event.at_ns;
    job.held_distinct[mark.which] = std::move(mark.event);
    return understood(job, at_ns);
  }
  // A worker, which serves one loader: its data set is the only one, or the largest.
  const double size = mark.event.total.value_or(0);
  if (job.data_set && *job.data_set != mark.which && size <= job.data_set_size) return {};
  job.data_set = mark.which;
  job.data_set_size = size;
  return {std::move(mark.event)};
}

// What was held and can be told now, at the time at which it became clear.
MarkChoice::Events MarkChoice::understood(Job& job, std::int64_t at_ns) {
  Events all;
  const auto loader = job.loader.chosen();
  if (!loader) return all;
  if (const auto held = job.held_epochs.find(*loader); held != job.held_epochs.end()) {
    auto event = std::move(held->second);
    job.held_epochs.erase(held);
    event.at_ns = at_ns;
    event.value = ++job.passes;
    all.push_back(std::move(event));
  }
  const auto data_set = static_cast<std::uint32_t>(*job.loader.data_set());
  if (const auto held = job.held_distinct.find(data_set); held != job.held_distinct.end()) {
    auto event = std::move(held->second);
    job.held_distinct.erase(held);
    event.at_ns = at_ns;
    all.push_back(std::move(event));
  }
  return all;
}

}  // namespace tidegauge::record
