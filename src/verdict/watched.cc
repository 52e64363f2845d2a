// SPDX-License-Identifier: Apache-2.0
#include "verdict/watched.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostColumns = 256;
constexpr double kNanosecond = 1e-9;

// What somebody's file says of a process, where it is not one of our kinds.
double foreign_bytes(const record::ProcessSample& process) {
  return process.others.empty() ? 0 : process.others.front().bytes;
}

// A tree that holds less than this share of what it held before may be on its way out, until it
// holds as much again…
constexpr double kFalling = 0.95;
// …or has taken most of what it gave back again (half may be libraries, loaded on the way out), …
constexpr double kGrowsAgain = 0.8;
// …for no longer than it takes to give back some hundred gigabytes; or this share of the run, where
// the job has counted its steps and counts no more: libraries take their time, and so do machines.
constexpr double kLongestEnding = 10;
constexpr double kLongestEndingShare = 0.2;
constexpr std::size_t kMostFalling = 256;
constexpr std::size_t kMostFallingProcesses = 1 << 16;  // in all those samples: some 25 MB
constexpr std::size_t kMostLiving = 1 << 17;
constexpr std::size_t kMostRepeats = 32;
// A level that was held before, within this share of the run, is where a spike or a tooth ends.
constexpr double kLately = 0.25;
constexpr double kSameLevel = 0.98;

}  // namespace

double Watched::since_origin(std::int64_t at_ns) {
  if (counts_steps()) return static_cast<double>(at_ns) * kNanosecond;
  if (!origin_ns_) origin_ns_ = at_ns;
  return static_cast<double>(at_ns - *origin_ns_) * kNanosecond;
}

void Watched::add(const record::Process& process) {
  members_.add(process);
}

void Watched::add(const record::Event& event) {
  const double at = since_origin(event.at_ns);
  if (event.kind == record::EventKind::Started && living_.size() < kMostLiving) {
    living_.insert(event.process);
    sampled_.clear();
  }
  if (event.kind == record::EventKind::Exited) left(event.process);
  if (event.kind == record::EventKind::Exec) {
    members_.restart(event.process, at);
    another_program_ = true;
  }
  if (event.kind == record::EventKind::Held) holders_.add(event, at);
  marks_.add(event, at);
}

void Watched::add(const record::Profile& profile) {
  allocations_.add(profile, since_origin(profile.at_ns));
}

void Watched::left(const record::ProcessId& id) {
  saw_exit_ = true;
  sampled_.clear();
  if (living_.erase(id) > 0 && living_.empty()) drop_falling();
}

// Most samples have the processes of the one before.
void Watched::only_these_live(const record::Sample& sample) {
  const auto id_of = [](const record::ProcessSample& process) { return process.id; };
  const auto& now = sample.processes;
  if (!sampled_.empty() &&
      std::equal(sampled_.begin(), sampled_.end(), now.begin(), now.end(),
                 [&](const auto& id, const auto& process) { return id == id_of(process); })) {
    return;
  }
  sampled_.clear();
  std::transform(now.begin(), now.end(), std::back_inserter(sampled_), id_of);
  living_ = {sampled_.begin(), sampled_.end()};
}

void Watched::drop_falling() {
  falling_.clear();
  falling_processes_ = 0;
}

Watched::Seen Watched::look_at(const record::Sample& sample, const record::LedgerKeeper& ledgers) {
  const auto& ledger = ledgers.last();
  Seen seen{.at = since_origin(sample.at_ns),
            .held = static_cast<double>(ledger.total),
            .own = {},
            .shmem = ledger.shmem,
            .gpu = ledger.gpu};
  const bool foreign = ledger.total == 0;
  for (std::size_t i = 0; i < sample.processes.size(); ++i) {
    const double own =
        foreign ? foreign_bytes(sample.processes[i]) : static_cast<double>(ledgers.own_at(i));
    seen.own.push_back(own);
    if (foreign) seen.held += own;
  }
  return seen;
}

bool Watched::falls(double held) const {
  if (total_.count() == 0 || held >= kFalling * total_.last()) return false;
  return !falling_.empty() ||
         held < kSameLevel * total_.lowest_since((1 - kLately) * total_.last_at());
}

double Watched::longest_ending() const {
  const double fell = falling_.front().seen.at;
  const auto* steps = marks_.steps();
  const bool works_on = steps == nullptr || steps->last_at() > fell;
  return works_on ? kLongestEnding : std::max(kLongestEnding, kLongestEndingShare * fell);
}

bool Watched::grows_again(double held) const {
  const auto lower = [](const Waiting& a, const Waiting& b) { return a.seen.held < b.seen.held; };
  const double lowest = std::min_element(falling_.begin(), falling_.end(), lower)->seen.held;
  return held - lowest > kGrowsAgain * (total_.last() - lowest);
}

bool Watched::may_be_the_end(const record::Sample& sample, const Seen& seen) const {
  if (counts_steps() || sample.processes.empty() || !falls(seen.held)) return false;
  return falling_.empty() ||
         (falling_.size() < kMostFalling && falling_processes_ < kMostFallingProcesses &&
          !grows_again(seen.held) && seen.at - falling_.front().seen.at <= longest_ending());
}

void Watched::repeat(const record::Sample& sample) {
  limits_.add(sample);
  repeats_.push_back(since_origin(sample.at_ns));
  marks_.seen_at(repeats_.back());
  if (repeats_.size() == kMostRepeats) settle();
}

void Watched::settle() {
  if (repeats_.empty()) return;
  total_.repeat(taken_at_, repeats_);
  shmem_.repeat(taken_at_, repeats_);
  gpu_.repeat(taken_at_, repeats_);
  members_.repeat(taken_at_, repeats_);
  taken_at_ = repeats_.back();
  repeats_.clear();
}

void Watched::add(const record::Sample& sample, const record::LedgerKeeper& ledgers) {
  if (ledgers.as_before() && falling_.empty() && total_.count() > 0) return repeat(sample);
  settle();
  only_these_live(sample);
  Seen seen = look_at(sample, ledgers);
  // Who gives its memory back to be another program goes on.
  const bool goes_on = std::exchange(another_program_, false);
  if (!goes_on && may_be_the_end(sample, seen)) {
    falling_.push_back({sample, std::move(seen)});
    falling_processes_ += sample.processes.size();
    return;
  }
  if (sample.processes.empty() && sample.others.empty()) drop_falling();
  take_falling();
  take(sample, seen);
}

void Watched::take_falling() {
  falling_processes_ = 0;
  for (const auto& [sample, seen] : std::exchange(falling_, {})) take(sample, seen);
}

Watched Watched::with_what_waits() const {
  Watched out = *this;
  out.take_falling();
  return out;
}

void Watched::take(const record::Sample& sample, const Seen& seen) {
  taken_at_ = seen.at;
  marks_.seen_at(seen.at);
  const auto& processes = sample.processes;
  if (!processes.empty()) total_.add(seen.at, seen.held);
  if (seen.shmem) shmem_.add(seen.at, static_cast<double>(*seen.shmem));
  if (seen.gpu) gpu_.add(seen.at, static_cast<double>(*seen.gpu));
  limits_.add(sample);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    members_.add(processes[i], seen.at, seen.own[i], seen.held);
  }
  for (const auto& column : sample.others) add_column(column, seen.at);
}

void Watched::add_column(const record::NamedBytes& column, double at) {
  auto known = place_of_column_.find(column.name);
  if (known == place_of_column_.end()) {
    if (columns_.size() >= kMostColumns) return;
    known = place_of_column_.emplace(column.name, columns_.size()).first;
    columns_.emplace_back(column.name, BlockSeries{});
  }
  columns_[known->second].second.add(at, column.bytes);
}

}  // namespace tidegauge::verdict
