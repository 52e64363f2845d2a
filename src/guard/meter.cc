// SPDX-License-Identifier: Apache-2.0
#include "guard/meter.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "guard/group_files.h"
#include "proc/cgroup_files.h"

namespace tidegauge::guard {

namespace {

// Of the machine's memory, left to it: it becomes slow before it is out of it.
constexpr double kMachineMargin = 0.02;

// A room that nobody fills.
constexpr double kUnlimited = 1e18;

std::optional<std::uint64_t> amount_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    auto line = next_line(text);
    if (next_word(line) == name) return to_number<std::uint64_t>(next_word(line));
  }
  return {};
}

double or_zero(std::optional<std::uint64_t> value) {
  return value ? static_cast<double>(*value) : 0;
}

std::int64_t or_unknown(std::optional<std::uint64_t> value) {
  return value ? static_cast<std::int64_t>(*value) : -1;
}

struct Filled {
  double charged = 0;
  double used = 0;
};

Filled filled(const Gate& gate) {
  GroupText buffer;
  const double charged = or_zero(proc::parse_amount(trimmed(read_group(gate.usage, buffer))));
  const auto stat = read_group(gate.stat, buffer);
  const bool first = gate.version == 1;
  const double cache = or_zero(amount_of(stat, first ? "total_active_file" : "active_file")) +
                       or_zero(amount_of(stat, first ? "total_inactive_file" : "inactive_file"));
  return {charged, std::max(charged - cache, 0.0)};
}

double limit_of(const Gate& gate) {
  GroupText buffer;
  const auto limit = proc::parse_limit(trimmed(read_group(gate.limit, buffer)));
  return limit ? static_cast<double>(*limit) : kUnlimited;
}

}  // namespace

Gate open_gate(const std::string& folder, int version) {
  const bool first = version == 1;
  return {.version = version,
          .usage = open_in(folder, first ? "memory.usage_in_bytes" : "memory.current", O_RDONLY),
          .stat = open_in(folder, "memory.stat", O_RDONLY),
          .limit = open_in(folder, first ? "memory.limit_in_bytes" : "memory.max", O_RDONLY),
          .events = open_in(folder, first ? "memory.oom_control" : "memory.events", O_RDONLY)};
}

Result<Meter> Meter::open(const proc::Roots& roots, const std::vector<std::string>& folders,
                          int version) {
  Meter meter;
  meter.meminfo_ = open_in(roots.proc, "meminfo", O_RDONLY);
  meter.vmstat_ = open_in(roots.proc, "vmstat", O_RDONLY);
  if (!meter.meminfo_) return from_errno(errno, "meminfo");
  for (const auto& folder : folders) {
    auto gate = open_gate(folder, version);
    if (!gate.usage) continue;
    if (meter.gates_.empty() || limit_of(gate) < kUnlimited) {
      meter.gates_.push_back(std::move(gate));
    }
  }
  // The kernel makes its buffers on the first read of each.
  (void)meter.read(0);
  (void)meter.kills();
  (void)meter.kills_above();
  (void)meter.kills_on_machine();
  return meter;
}

Reading Meter::read(double own_limit) const {
  Reading reading;
  GroupText buffer;
  const auto meminfo = read_group(meminfo_, buffer);
  constexpr double kKilobyte = 1024;
  reading.machine_total = or_zero(amount_of(meminfo, "MemTotal:")) * kKilobyte;
  reading.machine_available = or_zero(amount_of(meminfo, "MemAvailable:")) * kKilobyte;
  reading.known = reading.machine_total > 0;
  reading.used = reading.machine_total - reading.machine_available;
  reading.charged = reading.used;
  reading.room = reading.machine_available - reading.machine_total * kMachineMargin;
  reading.binding_used = reading.used;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const auto [charged, used] = filled(gates_[i]);
    if (i == 0) {
      reading.used = used;
      reading.charged = charged;
    }
    const double limit = i == 0 && own_limit > 0 ? own_limit : limit_of(gates_[i]);
    if (limit - used < reading.room) {
      reading.room = limit - used;
      reading.binding_used = used;
    }
  }
  return reading;
}

std::int64_t Meter::kills() const {
  GroupText buffer;
  if (gates_.empty()) return -1;
  return or_unknown(amount_of(read_group(gates_[0].events, buffer), "oom_kill"));
}

std::int64_t Meter::kills_above() const {
  GroupText buffer;
  std::int64_t all = -1;
  for (std::size_t i = 1; i < gates_.size(); ++i) {
    const auto some = or_unknown(amount_of(read_group(gates_[i].events, buffer), "oom_kill"));
    if (some >= 0) all = std::max(all, std::int64_t{0}) + some;
  }
  return all;
}

std::int64_t Meter::kills_on_machine() const {
  GroupText buffer;
  return or_unknown(amount_of(read_group(vmstat_, buffer), "oom_kill"));
}

std::vector<int> Meter::fds() const {
  std::vector<int> fds{meminfo_.get(), vmstat_.get()};
  for (const auto& gate : gates_) {
    fds.insert(fds.end(), {gate.usage.get(), gate.stat.get(), gate.limit.get(), gate.events.get()});
  }
  return fds;
}

}  // namespace tidegauge::guard
