// SPDX-License-Identifier: Apache-2.0
#include "guard/meter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "guard/cell.h"
#include "guard/group_files.h"
#include "proc/cgroup_files.h"
#include "proc/root.h"
#include "proc/stat.h"

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

// Only the root of a hierarchy has the file that says who is told when a group is empty (version
// 1), and only it has no usage of its own (version 2).
bool is_root(const std::string& folder, int version) {
  const auto there = [&](const char* name) {
    return ::access((folder + "/" + name).c_str(), F_OK) == 0;
  };
  if (version == 1) return there("release_agent");
  return there("cgroup.controllers") && !there("memory.current");
}

// Kernels have one such counter for each zone: "allocstall_normal".
std::optional<std::uint64_t> stalls_in(std::string_view vmstat) {
  std::optional<std::uint64_t> all;
  while (!vmstat.empty()) {
    auto line = next_line(vmstat);
    if (!next_word(line).starts_with("allocstall")) continue;
    const auto some = to_number<std::uint64_t>(next_word(line));
    if (some) all = all.value_or(0) + *some;
  }
  return all;
}

std::int64_t or_unknown(std::optional<std::uint64_t> value) {
  return value ? static_cast<std::int64_t>(*value) : -1;
}

struct Filled {
  double charged = 0;
  double used = 0;
  // The lowest limit of this group and of all above it, those that cannot be seen too (version 1).
  double lowest_limit = kUnlimited;
};

// Inlined into one function, the buffers of these would lie on the stack beside each other.
[[gnu::noinline]] Filled filled(const Gate& gate) {
  GroupText buffer;
  const double charged = or_zero(proc::parse_amount(trimmed(read_group(gate.usage, buffer))));
  const auto stat = read_group(gate.stat, buffer);
  const bool first = gate.version == 1;
  const double cache = or_zero(amount_of(stat, first ? "total_active_file" : "active_file")) +
                       or_zero(amount_of(stat, first ? "total_inactive_file" : "inactive_file"));
  const auto lowest = amount_of(stat, "hierarchical_memory_limit");
  return {.charged = charged,
          .used = std::max(charged - cache, 0.0),
          .lowest_limit = lowest ? static_cast<double>(*lowest) : kUnlimited};
}

[[gnu::noinline]] double limit_of(const Gate& gate) {
  GroupText buffer;
  const auto limit = proc::parse_limit(trimmed(read_group(gate.limit, buffer)));
  return limit ? static_cast<double>(*limit) : kUnlimited;
}

[[gnu::noinline]] std::int64_t kills_of(const Gate& gate) {
  GroupText buffer;
  return or_unknown(amount_of(read_group(gate.events, buffer), "oom_kill"));
}

[[gnu::noinline]] std::int64_t hits_of(const Gate& gate) {
  GroupText buffer;
  const auto text = read_group(gate.hits, buffer);
  return or_unknown(gate.version == 1 ? to_number<std::uint64_t>(trimmed(text))
                                      : amount_of(text, "oom"));
}

}  // namespace

Gate open_gate(const std::string& folder, int version) {
  const bool first = version == 1;
  return {.version = version,
          .folder = folder,
          .usage = open_in(folder, first ? "memory.usage_in_bytes" : "memory.current", O_RDONLY),
          .stat = open_in(folder, "memory.stat", O_RDONLY),
          .limit = open_in(folder, first ? "memory.limit_in_bytes" : "memory.max", O_RDONLY),
          .events = open_in(folder, first ? "memory.oom_control" : "memory.events", O_RDONLY),
          .hits = open_in(folder, first ? "memory.failcnt" : "memory.events.local", O_RDONLY)};
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
  meter.sees_root_ = !folders.empty() && is_root(folders.back(), version);
  // The kernel makes its buffers on the first read of each.
  (void)meter.read(0);
  (void)meter.counts();
  return meter;
}

std::vector<std::string> Meter::folders() const {
  std::vector<std::string> folders;
  for (const auto& gate : gates_) folders.push_back(gate.folder);
  return folders;
}

void Meter::share_with(const std::vector<std::string>& folders) {
  for (auto& gate : gates_) {
    gate.with_us = std::find(folders.begin(), folders.end(), gate.folder) != folders.end();
  }
}

// Ours is inside of what is used, and no more than that: it was measured at another moment.
Reading Meter::read(double own_limit, const Ours& ours) const {
  Reading reading;
  GroupText buffer;
  const auto meminfo = read_group(meminfo_, buffer);
  constexpr double kKilobyte = 1024;
  reading.machine_total = or_zero(amount_of(meminfo, "MemTotal:")) * kKilobyte;
  reading.machine_available = or_zero(amount_of(meminfo, "MemAvailable:")) * kKilobyte;
  reading.known = reading.machine_total > 0;
  reading.charged = reading.machine_total - reading.machine_available;
  const double everywhere = std::min(ours.beside + ours.inside, reading.charged);
  reading.used = reading.charged - everywhere;
  reading.real_room = reading.machine_available - reading.machine_total * kMachineMargin;
  reading.room = reading.real_room + everywhere;
  reading.binding_used = reading.used;
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const auto [charged, used, lowest] = filled(gates_[i]);
    const double of_ours = std::min(ours.inside + (gates_[i].with_us ? ours.beside : 0), used);
    if (i == 0) {
      reading.used = used - of_ours;
      reading.charged = charged;
    }
    double limit = i == 0 && own_limit > 0 ? own_limit : limit_of(gates_[i]);
    // How much others use below a limit that cannot be seen is not known.
    if (!sees_root_ && i + 1 == gates_.size()) limit = std::min(limit, lowest);
    reading.real_room = std::min(reading.real_room, limit - used);
    if (limit - used + of_ours < reading.room) {
      reading.room = limit - used + of_ours;
      reading.binding_used = used - of_ours;
      reading.with_us = gates_[i].with_us;
    }
  }
  return reading;
}

KillCounts Meter::counts() const {
  GroupText buffer;
  KillCounts counts;
  const auto vmstat = read_group(vmstat_, buffer);
  counts.machine = or_unknown(amount_of(vmstat, "oom_kill"));
  counts.stalls = or_unknown(stalls_in(vmstat));
  if (gates_.empty()) return counts;
  counts.own = kills_of(gates_[0]);
  counts.hits_own = hits_of(gates_[0]);
  counts.hits_above = 0;
  for (std::size_t i = 1; i < gates_.size(); ++i) {
    const auto some = hits_of(gates_[i]);
    const bool known = some >= 0 && counts.hits_above >= 0;
    counts.hits_above = known ? counts.hits_above + some : -1;
  }
  return counts;
}

std::optional<Meter> meter_around(const proc::Roots& roots, pid_t pid) {
  const auto root = proc::Root::open(roots.proc);
  const auto stat = root ? proc::read_stat(*root, pid) : Result<proc::Stat>(root.error());
  if (!stat) return {};
  const auto place = Cell::beside(roots, stat->id);
  auto meter = Meter::open(roots, place.memory_folders(), place.memory_version());
  return meter ? std::optional(*std::move(meter)) : std::nullopt;
}

// Version 1 tells the lowest limit of all groups above, those that cannot be seen too.
bool Meter::may_have_hidden_limit() const {
  if (sees_root_) return false;
  if (gates_.empty() || gates_[0].version != 1) return true;
  return filled(gates_[0]).lowest_limit < kUnlimited;
}

std::vector<int> Meter::fds() const {
  std::vector<int> fds{meminfo_.get(), vmstat_.get()};
  for (const auto& gate : gates_) {
    fds.insert(fds.end(), {gate.usage.get(), gate.stat.get(), gate.limit.get(), gate.events.get(),
                           gate.hits.get()});
  }
  return fds;
}

}  // namespace tidegauge::guard
