// SPDX-License-Identifier: Apache-2.0
#include "proc/surroundings.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace tidegauge::proc {

namespace {

// 30 us cold each; their numbers move slowly, and matter where little is left. But where the job
// has its group to itself, what that is charged goes into the ledger beside the processes' own
// counters, and has to be of the same moment.
constexpr std::int64_t kMachineEveryNs = 4'950'000'000;
constexpr std::int64_t kCgroupsEveryNs = 4'950'000'000;
constexpr std::int64_t kScarceEveryNs = 950'000'000;
constexpr double kScarce = 0.2;  // of the machine's memory, or of the limit
// Limits are changed by hand.
constexpr std::int64_t kCgroupLimitsEveryNs = 9'900'000'000;
// Lists all processes of the group.
constexpr std::int64_t kExclusiveEveryNs = 10'000'000'000;
constexpr std::int64_t kGpusEveryNs = 950'000'000;
// A driver's answer takes between 0.1 and 10 ms for each device.
constexpr double kGpusShareOfACore = 0.0002;

double as_double(std::uint64_t bytes) {
  return static_cast<double>(bytes);
}

bool is_scarce(const record::Machine& machine) {
  return machine.available && machine.total &&
         as_double(*machine.available) < kScarce * as_double(*machine.total);
}

bool is_scarce(const record::Cgroup& cgroup) {
  return cgroup.limit && cgroup.current &&
         as_double(*cgroup.current) > (1 - kScarce) * as_double(*cgroup.limit);
}

bool is_scarce(const std::vector<record::Cgroup>& cgroups) {
  return std::any_of(cgroups.begin(), cgroups.end(),
                     [](const auto& one) { return is_scarce(one); });
}

}  // namespace

Surroundings::Surroundings(const CollectOptions& options, pid_t of, Result<CgroupReader> cgroups)
    : roots_(options.roots), of_(of) {
  if (auto machine = MachineReader::open(options.roots)) {
    machine_reader_ = std::move(*machine);
  } else {
    missing_.push_back("the machine's memory is not known: " + machine.error().what);
  }
  if (cgroups) {
    cgroup_reader_ = std::move(*cgroups);
  } else if (cgroups.error().reason != Reason::Unsupported) {
    missing_.push_back("the job's memory cgroup is not known: " + cgroups.error().what);
  }
  if (options.gpu && GpuReader::is_there(options.nvml)) nvml_ = options.nvml;
}

void Surroundings::begin_with_gpus() {
  // A library without a device is how many machines are.
  if (auto gpus = GpuReader::load(nvml_, roots_)) gpu_reader_ = std::move(*gpus);
  nvml_.clear();
}

Surroundings Surroundings::of_process(const CollectOptions& options, pid_t pid) {
  return Surroundings(options, pid, CgroupReader::open(options.roots, pid));
}

Surroundings Surroundings::of_cgroup(const CollectOptions& options, const std::string& path) {
  return Surroundings(options, 0, CgroupReader::open_path(options.roots, path));
}

// The one who was asked for may have been a wrapper that is gone. (In version 1 a process that has
// ended is said to be in the root group.)
void Surroundings::follow_a_living_one(std::span<const pid_t> members) {
  if (of_ == 0 || members.empty()) return;
  if (std::binary_search(members.begin(), members.end(), of_)) return;
  of_ = members.front();
  if (auto reader = CgroupReader::open(roots_, of_)) cgroup_reader_ = std::move(*reader);
}

void Surroundings::look(std::int64_t now_ns, std::span<const pid_t> members, bool changed) {
  if (machine_reader_ && now_ns >= machine_due_ns_) {
    machine_ = machine_reader_->read();
    machine_due_ns_ = now_ns + (is_scarce(*machine_) ? kScarceEveryNs : kMachineEveryNs);
  }
  if (changed) follow_a_living_one(members);
  if (cgroup_reader_) look_at_cgroups(now_ns, members, changed);
  if (gpu_reader_ && now_ns >= gpus_due_ns_) look_at_gpus(now_ns);
}

void Surroundings::look_at_cgroups(std::int64_t now_ns, std::span<const pid_t> members,
                                   bool changed) {
  if (now_ns < cgroups_due_ns_ && !changed && !exclusive_) return;
  const bool limits_due = now_ns >= limits_due_ns_ || changed;
  cgroups_ = limits_due ? cgroup_reader_->read() : cgroup_reader_->read_counts();
  cgroups_due_ns_ = now_ns + (is_scarce(cgroups_) ? kScarceEveryNs : kCgroupsEveryNs);
  if (limits_due) limits_due_ns_ = now_ns + kCgroupLimitsEveryNs;
  if (now_ns >= exclusive_due_ns_ || changed) {
    exclusive_ = cgroup_reader_->holds_only(members);
    exclusive_due_ns_ = now_ns + kExclusiveEveryNs;
  }
  if (!cgroups_.empty()) cgroups_.front().exclusive = exclusive_;
}

void Surroundings::look_at_gpus(std::int64_t now_ns) {
  const bool first = gpus_due_ns_ == 0;  // takes ten times as long as the next
  const CpuClock clock;
  gpus_ = gpu_reader_->read();
  const double counts = first ? 0 : clock.seconds();
  const auto wait = static_cast<std::int64_t>(counts / kGpusShareOfACore * 1e9);
  gpus_due_ns_ = now_ns + std::max(kGpusEveryNs, wait);
}

void Surroundings::put_into(record::Sample& sample) const {
  sample.machine = machine_;
  sample.cgroups = cgroups_;
  sample.gpus = gpus_.devices;
}

record::Bytes Surroundings::gpu_of(pid_t pid) const {
  const auto found = gpus_.by_pid.find(pid);
  if (found == gpus_.by_pid.end()) return {};
  return found->second;
}

std::vector<record::Event> Surroundings::take_oom_kills(std::int64_t now_ns) {
  std::vector<record::Event> events;
  std::map<std::string, std::uint64_t> now;  // without groups that the job has left
  for (const auto& cgroup : cgroups_) {
    if (!cgroup.oom_kill) continue;
    now[cgroup.path] = *cgroup.oom_kill;
    const auto before = oom_kills_.find(cgroup.path);
    if (before == oom_kills_.end() || *cgroup.oom_kill <= before->second) continue;
    events.push_back({.at_ns = now_ns,
                      .kind = record::EventKind::OomKill,
                      .name = cgroup.path,
                      .value = static_cast<double>(*cgroup.oom_kill)});
  }
  oom_kills_ = std::move(now);
  return events;
}

}  // namespace tidegauge::proc
