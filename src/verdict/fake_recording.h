// SPDX-License-Identifier: Apache-2.0
// Recordings made up for tests.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "record/recording.h"

namespace tidegauge::verdict {

inline std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e9);
}

class FakeRecording {
 public:
  FakeRecording& by_steps() {
    recording_.header.clock = record::Clock::Steps;
    return *this;
  }
  // One value of a column of somebody's file.
  FakeRecording& column(double at, double bytes, const std::string& name = "rss") {
    record::Sample sample{.at_ns = nanoseconds(at)};
    sample.others.push_back({name, bytes});
    recording_.entries.emplace_back(std::move(sample));
    return *this;
  }
  // Anonymous memory of some processes at one moment; all else is empty.
  FakeRecording& anon(double at, const std::vector<std::pair<record::ProcessId, double>>& held) {
    record::Sample sample{.at_ns = nanoseconds(at)};
    for (const auto& [id, bytes] : held) {
      const auto size = static_cast<std::uint64_t>(bytes);
      record::ProcessSample one{.id = id};
      one.memory.rss = size;
      one.memory.anon = size;
      sample.processes.push_back(std::move(one));
    }
    recording_.entries.emplace_back(std::move(sample));
    return *this;
  }
  FakeRecording& process(record::ProcessId id, const std::string& name, record::Role role) {
    recording_.entries.emplace_back(record::Process{.id = id, .name = name, .role = role});
    return *this;
  }
  FakeRecording& event(record::Event event) {
    recording_.entries.emplace_back(std::move(event));
    return *this;
  }
  FakeRecording& step(double at, double number) {
    return event({.at_ns = nanoseconds(at),
                  .kind = record::EventKind::Step,
                  .source = record::MarkSource::Explicit,
                  .value = number});
  }
  FakeRecording& phase(double begin, double end, const std::string& name) {
    event({.at_ns = nanoseconds(begin), .kind = record::EventKind::PhaseBegin, .name = name});
    return event({.at_ns = nanoseconds(end), .kind = record::EventKind::PhaseEnd, .name = name});
  }
  const record::Recording& get() const { return recording_; }

 private:
  record::Recording recording_{};
};

}  // namespace tidegauge::verdict
