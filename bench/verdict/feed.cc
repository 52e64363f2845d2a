// SPDX-License-Identifier: Apache-2.0
#include "bench/verdict/feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidegauge::bench {
namespace {

using record::Event;
using record::EventKind;

constexpr pid_t kFirstPid = 1000;  // of a job that restarts: each life has the next one

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

record::ProcessId id_of(pid_t pid) {
  return {pid, static_cast<std::uint64_t>(pid) * 10};
}

std::string phase_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::Save:
      return "save";
    case MarkKind::Compile:
      return "compile";
    default:
      return "eval";
  }
}

Event event(double seconds, EventKind kind, record::MarkSource source) {
  Event out;
  out.at_ns = nanoseconds(seconds);
  out.kind = kind;
  out.source = source;
  return out;
}

void add_mark(const Mark& mark, double epoch, std::vector<Event>& events) {
  if (mark.kind == MarkKind::Restart) return;
  if (mark.kind == MarkKind::Epoch) {
    auto begins = event(mark.begin_seconds, EventKind::Epoch, record::MarkSource::Framework);
    begins.value = epoch;
    events.push_back(std::move(begins));
    return;
  }
  for (const auto& [seconds, kind] : {std::pair{mark.begin_seconds, EventKind::PhaseBegin},
                                      std::pair{mark.end_seconds, EventKind::PhaseEnd}}) {
    auto phase = event(seconds, kind, record::MarkSource::Framework);
    phase.name = phase_of(mark.kind);
    events.push_back(std::move(phase));
  }
}

record::Process process(double seconds, pid_t pid, const std::string& name, record::Role role) {
  record::Process out;
  out.id = id_of(pid);
  out.name = name;
  out.role = role;
  out.at_ns = nanoseconds(seconds);
  return out;
}

record::ProcessSample resident(pid_t pid, double bytes) {
  record::ProcessSample out;
  out.id = id_of(pid);
  out.memory.rss = out.memory.anon = static_cast<std::uint64_t>(bytes);
  return out;
}

Event life(double seconds, EventKind kind, pid_t pid) {
  auto out = event(seconds, kind, record::MarkSource::Kernel);
  out.process = id_of(pid);
  return out;
}

bool lives(const Member& member, std::size_t index) {
  return member.bytes[index] >= 0;
}

}  // namespace

record::Header header_of(const Series& series) {
  record::Header header;
  header.tool = "bench";
  header.command = series.name;
  if (series.seconds.size() > 1)
    header.interval_seconds =
        series.seconds.back() / static_cast<double>(series.seconds.size() - 1);
  return header;
}

verdict::Rules rules_of(const Series& series, verdict::Rules::Mode mode) {
  verdict::Rules rules;
  rules.limit_bytes = series.limit_bytes;
  rules.steps_per_epoch = series.steps_per_epoch;
  rules.mode = mode;
  return rules;
}

Feed::Feed(const Series& series) : series_(series) {
  double epoch = 0;
  for (const auto& mark : series.marks) {
    if (mark.kind == MarkKind::Restart) restarts_.push_back(mark.begin_seconds);
    if (mark.kind == MarkKind::Epoch) ++epoch;
    add_mark(mark, epoch, events_);
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.at_ns < b.at_ns; });
}

void Feed::add_marks_until(double seconds, std::vector<record::Entry>& entries) {
  const auto now = nanoseconds(seconds);
  while (next_event_ < events_.size() && events_[next_event_].at_ns <= now)
    entries.emplace_back(events_[next_event_++]);
}

// Steps and distinct examples, when they have changed since the sample before.
void Feed::add_counts(std::size_t index, std::vector<record::Entry>& entries) const {
  const double at = series_.seconds[index];
  const auto changed = [&](const std::vector<double>& counts) {
    return !counts.empty() && (index == 0 || counts[index] != counts[index - 1]);
  };
  if (changed(series_.steps)) {
    auto step = event(at, EventKind::Step, record::MarkSource::Framework);
    step.value = series_.steps[index];
    entries.emplace_back(std::move(step));
  }
  if (changed(series_.distinct)) {
    auto distinct = event(at, EventKind::Distinct, record::MarkSource::Loader);
    distinct.value = series_.distinct[index];
    distinct.total = series_.data_set_size;
    entries.emplace_back(std::move(distinct));
  }
}

// Processes that begin or end with this sample.
void Feed::add_arrivals(std::size_t index, std::vector<record::Entry>& entries) const {
  const double at = series_.seconds[index];
  const double before = index > 0 ? series_.seconds[index - 1] : -1;
  if (!restarts_.empty() && index == 0)
    entries.emplace_back(process(at, kFirstPid, "job", record::Role::Main));
  for (std::size_t k = 0; k < restarts_.size(); ++k) {
    if (restarts_[k] <= before || restarts_[k] > at) continue;
    const auto pid = kFirstPid + static_cast<pid_t>(k);
    entries.emplace_back(life(restarts_[k], EventKind::Exited, pid));
    entries.emplace_back(process(at, pid + 1, "job", record::Role::Main));
    entries.emplace_back(life(restarts_[k], EventKind::Started, pid + 1));
  }
  for (const auto& member : series_.members) {
    const bool now = lives(member, index);
    const bool earlier = index > 0 && lives(member, index - 1);
    if (now && !earlier) {
      entries.emplace_back(process(at, member.pid, member.name, member.role));
      entries.emplace_back(life(at, EventKind::Started, member.pid));
    }
    if (!now && earlier) entries.emplace_back(life(at, EventKind::Exited, member.pid));
  }
}

record::Sample Feed::sample(std::size_t index) const {
  record::Sample out;
  const double at = series_.seconds[index];
  out.at_ns = nanoseconds(at);
  if (!restarts_.empty()) {
    const auto lives_before = std::upper_bound(restarts_.begin(), restarts_.end(), at);
    const auto pid = kFirstPid + static_cast<pid_t>(lives_before - restarts_.begin());
    out.processes.push_back(resident(pid, series_.bytes[index]));
  } else if (!series_.members.empty()) {
    for (const auto& member : series_.members)
      if (lives(member, index)) out.processes.push_back(resident(member.pid, member.bytes[index]));
  } else {
    out.others.push_back({"rss", series_.bytes[index]});
  }
  return out;
}

std::vector<record::Entry> Feed::until(std::size_t index) {
  std::vector<record::Entry> entries;
  entries.reserve(2 * (index + 1 - std::min(index + 1, next_sample_)));
  for (; next_sample_ <= index && next_sample_ < series_.seconds.size(); ++next_sample_) {
    add_marks_until(series_.seconds[next_sample_], entries);
    add_arrivals(next_sample_, entries);
    add_counts(next_sample_, entries);
    entries.emplace_back(sample(next_sample_));
  }
  return entries;
}

}  // namespace tidegauge::bench
