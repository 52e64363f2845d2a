// SPDX-License-Identifier: Apache-2.0
#include "verdict/watched.h"

#include <algorithm>

namespace tidegauge::verdict {

namespace {

constexpr std::size_t kMostColumns = 256;
constexpr double kNanosecond = 1e-9;

// What somebody's file says of a process, where it is not one of our kinds.
double foreign_bytes(const record::ProcessSample& process) {
  return process.others.empty() ? 0 : process.others.front().bytes;
}

// A process that holds less than this share of what it held a sample ago may be on its way out.
constexpr double kFalling = 0.95;

std::optional<double> resident_of(const record::ProcessSample& process) {
  const auto& memory = process.memory;
  if (memory.rss) return static_cast<double>(*memory.rss);
  if (!memory.anon) return {};
  return static_cast<double>(*memory.anon + memory.file.value_or(0) + memory.shmem.value_or(0));
}

bool contains(const record::Sample& sample, const record::ProcessId& id) {
  return std::any_of(sample.processes.begin(), sample.processes.end(),
                     [&](const auto& process) { return process.id == id; });
}

}  // namespace

double Watched::since_origin(std::int64_t at_ns) {
  if (counts_steps()) return static_cast<double>(at_ns) * kNanosecond;
  if (!origin_ns_) origin_ns_ = at_ns;
  return static_cast<double>(at_ns - *origin_ns_) * kNanosecond;
}

void Watched::add(const record::Process& process) {
  keeper_.add(process);
  members_.add(process);
}

void Watched::add(const record::Event& event) {
  const double at = since_origin(event.at_ns);
  if (event.kind == record::EventKind::Exited && waiting_) {
    for (const auto& process : waiting_->processes) {
      if (process.id == event.process && falls(process)) {
        waiting_.reset();
        break;
      }
    }
  }
  keeper_.add(event);
  if (event.kind == record::EventKind::Exec) members_.restart(event.process, at);
  marks_.add(event, at);
}

bool Watched::falls(const record::ProcessSample& process) const {
  const auto before = resident_.find(process.id);
  const auto now = resident_of(process);
  return before != resident_.end() && now && *now < kFalling * before->second;
}

bool Watched::anyone_falls(const record::Sample& sample) const {
  return std::any_of(sample.processes.begin(), sample.processes.end(),
                     [this](const auto& process) { return falls(process); });
}

void Watched::settle_waiting(const record::Sample& next) {
  if (!waiting_) return;
  const record::Sample sample = std::move(*waiting_);
  waiting_.reset();
  const bool ended = std::any_of(
      sample.processes.begin(), sample.processes.end(),
      [&](const auto& process) { return falls(process) && !contains(next, process.id); });
  if (!ended) take(sample);
}

void Watched::add(const record::Sample& sample) {
  settle_waiting(sample);
  if (anyone_falls(sample)) {
    since_origin(sample.at_ns);
    waiting_ = sample;
  } else {
    take(sample);
  }
}

void Watched::take(const record::Sample& sample) {
  resident_.clear();
  for (const auto& process : sample.processes) {
    if (const auto bytes = resident_of(process)) resident_[process.id] = *bytes;
  }
  const double at = since_origin(sample.at_ns);
  const record::Ledger ledger = keeper_.add(sample);
  double held = static_cast<double>(ledger.total);
  const bool foreign = ledger.total == 0;
  if (foreign) {
    for (const auto& process : sample.processes) held += foreign_bytes(process);
  }
  if (!sample.processes.empty()) total_.add(at, held);
  if (ledger.shmem) shmem_.add(at, static_cast<double>(*ledger.shmem));
  if (ledger.gpu) gpu_.add(at, static_cast<double>(*ledger.gpu));
  limits_.add(sample);
  for (const auto& process : sample.processes) {
    const double own =
        foreign ? foreign_bytes(process) : static_cast<double>(keeper_.own(process.id));
    members_.add(process, at, own, held);
  }
  for (const auto& column : sample.others) add_column(column, at);
}

void Watched::add_column(const record::NamedBytes& column, double at) {
  auto known = std::find_if(columns_.begin(), columns_.end(),
                            [&](const auto& entry) { return entry.first == column.name; });
  if (known == columns_.end()) {
    if (columns_.size() >= kMostColumns) return;
    known = columns_.emplace(columns_.end(), column.name, BlockSeries{});
  }
  known->second.add(at, column.bytes);
}

}  // namespace tidegauge::verdict
