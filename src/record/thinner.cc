// SPDX-License-Identifier: Apache-2.0
#include "record/thinner.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tidegauge::record {

namespace {

constexpr std::size_t kMostSeries = 8;

double size_of(const Memory& memory) {
  const auto held = memory.rss ? memory.rss : memory.pss ? memory.pss : memory.uss;
  return static_cast<double>(held.value_or(memory.anon.value_or(0)));
}

bool is_about_process(const Event& event) {
  return event.kind == EventKind::Started || event.kind == EventKind::Exited ||
         event.kind == EventKind::Exec;
}

}  // namespace

std::vector<Entry> Thinner::add(const Entry& entry) {
  ++count_;
  if (const auto* process = std::get_if<Process>(&entry)) {
    keeper_.add(*process);
    processes_.emplace(count_, *process);
    return {};
  }
  if (const auto* event = std::get_if<Event>(&entry)) {
    keeper_.add(*event);
    events_.emplace(count_, *event);
    return {};
  }
  if (const auto* profile = std::get_if<Profile>(&entry)) {
    // Every second one goes; a process's first stays: growth is told since then.
    if (profiles_met_[profile->process]++ % 2 == 0) profiles_.emplace(count_, *profile);
    return {};
  }
  const auto& sample = std::get<Sample>(entry);
  add_sample(sample, keeper_.add(sample));
  if (bucket_samples_ < rules_.samples) return {};
  return finish();
}

void Thinner::choose_quantities(const Sample& sample) {
  quantities_ = {{.of = Quantity::Of::Tree}, {.of = Quantity::Of::Gpu}};
  std::vector<std::pair<double, ProcessId>> largest;
  for (const auto& process : sample.processes) {
    largest.emplace_back(size_of(process.memory), process.id);
  }
  const auto count = std::min(rules_.big_processes, largest.size());
  std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(count),
                    largest.end(), std::greater<>());
  for (std::size_t i = 0; i < count; ++i) {
    quantities_.push_back({.of = Quantity::Of::Process, .process = largest[i].second});
  }
  for (std::size_t i = 0; i < std::min(kMostSeries, sample.others.size()); ++i) {
    quantities_.push_back({.of = Quantity::Of::Series, .series = sample.others[i].name});
  }
}

std::optional<double> Thinner::value_of(const Quantity& quantity, const Sample& sample,
                                        const Ledger& ledger) {
  switch (quantity.of) {
    case Quantity::Of::Tree:
      return static_cast<double>(ledger.total);
    case Quantity::Of::Gpu:
      if (!ledger.gpu) return {};
      return static_cast<double>(*ledger.gpu);
    case Quantity::Of::Process:
      for (const auto& process : sample.processes) {
        if (process.id == quantity.process) return size_of(process.memory);
      }
      return {};
    case Quantity::Of::Series:
      for (const auto& series : sample.others) {
        if (series.name == quantity.series) return series.bytes;
      }
      return {};
  }
  return {};
}

void Thinner::add_sample(const Sample& sample, const Ledger& ledger) {
  if (bucket_samples_++ == 0) choose_quantities(sample);
  bool extreme = false;
  for (auto& quantity : quantities_) {
    const auto value = value_of(quantity, sample, ledger);
    if (!value) continue;
    if (quantity.low_at == 0 || *value < quantity.low) {
      std::tie(quantity.low, quantity.low_at) = std::pair(*value, count_);
      extreme = true;
    }
    if (quantity.high_at == 0 || *value > quantity.high) {
      std::tie(quantity.high, quantity.high_at) = std::pair(*value, count_);
      extreme = true;
    }
  }
  for (auto& [id, in_last] : seen_) in_last = false;
  for (const auto& process : sample.processes) seen_[process.id] = true;
  if (first_at_ == 0) first_at_ = count_;
  if (!extreme && first_at_ != count_) return;
  samples_.emplace(count_, sample);
  std::erase_if(samples_, [&](const auto& kept) {
    return kept.first != first_at_ &&
           std::none_of(quantities_.begin(), quantities_.end(), [&](const Quantity& quantity) {
             return quantity.low_at == kept.first || quantity.high_at == kept.first;
           });
  });
}

// Of the steps of a process by the same source, the first and the last of a bucket.
void Thinner::thin_steps() {
  std::map<std::pair<ProcessId, MarkSource>, std::vector<std::uint64_t>> steps;
  for (const auto& [at, event] : events_) {
    if (event.kind == EventKind::Step) steps[{event.process, event.source}].push_back(at);
  }
  for (const auto& [who, at] : steps) {
    for (std::size_t i = 1; i + 1 < at.size(); ++i) events_.erase(at[i]);
  }
}

// A job that marks thousands of times between two looks has its first ones kept.
void Thinner::thin_events() {
  std::size_t kept = 0;
  std::erase_if(events_, [&](const auto& event) {
    return event.second.kind != EventKind::Step && ++kept > rules_.most_events;
  });
}

std::vector<Entry> Thinner::finish() {
  // Processes that came and went between two samples that survive leave no trace.
  std::set<ProcessId> stay;
  for (const auto& [at, sample] : samples_) {
    for (const auto& process : sample.processes) stay.insert(process.id);
  }
  for (const auto& [id, in_last] : seen_) {
    if (in_last) stay.insert(id);
  }
  if (bucket_samples_ > 0) {
    std::erase_if(processes_, [&](const auto& known) { return !stay.contains(known.second.id); });
    std::erase_if(events_, [&](const auto& event) {
      return is_about_process(event.second) && seen_.contains(event.second.process) &&
             !stay.contains(event.second.process);
    });
  }
  thin_steps();
  thin_events();
  std::map<std::uint64_t, Entry> ordered;
  for (auto& [at, sample] : samples_) ordered.emplace(at, std::move(sample));
  for (auto& [at, process] : processes_) ordered.emplace(at, std::move(process));
  for (auto& [at, event] : events_) ordered.emplace(at, std::move(event));
  for (auto& [at, profile] : profiles_) ordered.emplace(at, std::move(profile));
  samples_.clear();
  processes_.clear();
  events_.clear();
  profiles_.clear();
  seen_.clear();
  bucket_samples_ = 0;
  std::vector<Entry> out;
  out.reserve(ordered.size());
  for (auto& [at, entry] : ordered) out.push_back(std::move(entry));
  return out;
}

}  // namespace tidegauge::record
