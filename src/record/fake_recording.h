// SPDX-License-Identifier: Apache-2.0
// Tests only.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <string>

#include "record/line_fields.h"
#include "record/recording.h"

namespace tidegauge::record {

// Recordings that no kernel would write but every reader must survive: empty and huge fields,
// hostile names, processes that come, go, change their order and share a pid. The same seed gives
// the same recording.
class FakeRecording {
 public:
  explicit FakeRecording(unsigned seed) : random_(seed) {}

  Recording make(std::size_t entries) {
    Recording recording;
    recording.header = {.tool = text(),
                        .host = text(),
                        .command = text(),
                        .clock = chance(4) ? Clock::Steps : Clock::Seconds,
                        .started_unix_ns = integer(),
                        .ticks_per_second = number(),
                        .page_bytes = number(),
                        .interval_seconds = real()};
    while (recording.entries.size() < entries) recording.entries.push_back(entry());
    return recording;
  }

  Entry entry() {
    at_ns_ = chance(9) ? integer() : at_ns_ + static_cast<std::int64_t>(below(3'000'000'000));
    switch (below(5)) {
      case 0:
        return Process{.id = id(),
                       .parent = id(),
                       .name = text(),
                       .command = text(),
                       .role = static_cast<Role>(below(5)),
                       .at_ns = at_ns_};
      case 1:
        return event();
      case 2:
        return profile();
      default:
        change_sample();
        return sample_;
    }
  }

  std::string text() {
    static const std::string kTexts[] = {"",
                                         "python3",
                                         "a) Z 1 (b",
                                         "\"quoted\\\"",
                                         "line\nbreak\r\t",
                                         "\xff\xfe\x80",
                                         "caf\xc3\xa9",
                                         "\xe2\x80\xa8\xe2\x80\xae",
                                         std::string("nul\0inside", 10),
                                         "{\"tidegauge\":7}",
                                         "\xed\xa0\x80",
                                         std::string(3000, 'x')};
    return kTexts[below(std::size(kTexts))];
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  std::uint64_t number() {
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
        return std::numeric_limits<std::uint64_t>::max() - below(3);
      case 2:
        return random_();
      case 3:
        return below(5000);
      default:
        return below(1 << 24) * 4096;
    }
  }
  std::int64_t integer() {
    return chance(3)
               ? std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(below(2))
               : static_cast<std::int64_t>(number());
  }
  double real() {
    constexpr double kReals[] = {0,   -0.5,         1,  1e-300, 1.7976931348623157e308,
                                 0.1, 123456789.25, 3e9};
    return kReals[below(std::size(kReals))];
  }
  Number maybe() { return chance(4) ? Number{} : number(); }
  std::optional<double> maybe_real() { return chance(3) ? std::nullopt : std::optional(real()); }
  ProcessId id() {
    constexpr pid_t kPids[] = {0, 1, 7, 7, 4194304, -1, 99, 100, 101, 102, 2147483647};
    return {kPids[below(std::size(kPids))], chance(5) ? number() : below(3)};
  }
  Event event() {
    Event event{.at_ns = at_ns_,
                .kind = static_cast<EventKind>(below(12)),
                .process = chance(2) ? ProcessId{} : id(),
                .source = static_cast<MarkSource>(below(7)),
                .name = text()};
    event.value = maybe_real();
    event.total = maybe_real();
    return event;
  }
  Profile profile() {
    Profile out{.at_ns = at_ns_, .process = id(), .sampler = text(), .sampled_every = number()};
    for (auto n = below(4); n > 0; --n) {
      out.places.push_back({.function = text(),
                            .file = text(),
                            .line = static_cast<std::uint32_t>(below(3) * below(1u << 31)),
                            .kind = static_cast<CodeKind>(below(2))});
    }
    for (auto n = below(4); n > 0; --n) {
      Site site{.live = number()};
      site.live_count = maybe();
      site.allocated = maybe();
      site.allocated_count = maybe();
      for (auto depth = out.places.empty() ? 0 : below(6); depth > 0; --depth) {
        site.stack.push_back(static_cast<std::uint32_t>(below(out.places.size())));
      }
      out.sites.push_back(std::move(site));
    }
    return out;
  }
  std::vector<NamedBytes> series() {
    std::vector<NamedBytes> out;
    for (auto n = chance(3) ? below(4) : 0; n > 0; --n) out.push_back({text(), real()});
    return out;
  }
  void change(ProcessSample& process) {
    for (const auto& column : kColumns) {
      if (column.momentary || chance(3)) column.of(process) = chance(2) ? Number{} : maybe();
    }
    auto& memory = process.memory;
    if (chance(4)) {
      memory.rss = maybe();
    } else if (memory.anon && memory.file && memory.shmem) {
      memory.rss = *memory.anon + *memory.file + *memory.shmem;
    }
    if (chance(3))
      process.activity.state = chance(4) ? static_cast<char>(below(256)) : "RSDZT"[below(5)];
    if (chance(6)) process.others = series();
  }
  void change_sample() {
    sample_.at_ns = at_ns_;
    auto& processes = sample_.processes;
    if (chance(3)) processes.push_back({.id = id()});
    if (chance(5) && !processes.empty()) processes.erase(processes.begin());
    if (chance(9)) std::shuffle(processes.begin(), processes.end(), random_);
    for (auto& process : processes) {
      if (chance(2)) change(process);
    }
    if (chance(4)) sample_.machine = chance(4) ? std::nullopt : std::optional(Machine{});
    if (sample_.machine && chance(2)) {
      for (const auto& field : kMachineFields) {
        if (chance(3)) (*sample_.machine).*field.member = maybe();
      }
      sample_.machine->pressure_some = maybe_real();
    }
    if (chance(4)) sample_.cgroups.push_back({.version = chance(2) ? 1 : 2, .path = text()});
    if (chance(6)) sample_.cgroups.clear();
    for (auto& cgroup : sample_.cgroups) {
      if (chance(3)) cgroup.exclusive = !cgroup.exclusive;
      for (const auto& field : kCgroupFields) {
        if (chance(4)) cgroup.*field.member = maybe();
      }
    }
    if (chance(5))
      sample_.gpus = {{.index = static_cast<int>(below(3)), .total = maybe()}, {.index = 1}};
    for (auto& gpu : sample_.gpus) gpu.used = maybe();
    if (chance(4)) sample_.others = series();
  }

  std::mt19937_64 random_;
  std::int64_t at_ns_ = 0;
  Sample sample_{};
};

}  // namespace tidegauge::record
