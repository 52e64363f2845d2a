// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proc/cgroup.h"
#include "proc/collector.h"
#include "proc/gpu.h"
#include "proc/machine.h"
#include "record/recording.h"

namespace tidegauge::proc {

// What is around a tree: the machine, the cgroups it is in, the GPUs. Each is read as often as its
// cost allows, and is as last known in between.
class Surroundings {
 public:
  // Whose cgroups matter: the job's, named or that of a process of it.
  static Surroundings of_process(const CollectOptions& options, pid_t pid);
  static Surroundings of_cgroup(const CollectOptions& options, const std::string& path);

  // `members`: pids of all that is watched, ascending. `changed`: others than last time.
  void look(std::int64_t now_ns, std::span<const pid_t> members, bool changed);

  void put_into(record::Sample& sample) const;
  // There is a library that could tell of GPUs, and nobody was seen to use one yet.
  bool awaits_gpu_use() const { return !nvml_.empty(); }
  // Somebody does: GPUs are looked at from now on.
  void begin_with_gpus();
  // Of one process on all devices together; empty where nobody says so.
  record::Bytes gpu_of(pid_t pid) const;
  // Processes killed for want of memory since the last call.
  std::vector<record::Event> take_oom_kills(std::int64_t now_ns);
  // Why there is no word of the machine or the cgroup, to be said to a person.
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  Surroundings(const CollectOptions& options, pid_t of, Result<CgroupReader> cgroups);
  void follow_a_living_one(std::span<const pid_t> members);
  void look_at_cgroups(std::int64_t now_ns, std::span<const pid_t> members, bool changed);
  void look_at_gpus(std::int64_t now_ns);

  Roots roots_;
  std::string nvml_;  // to be loaded when it is needed; empty: it was, or there is none
  pid_t of_;          // whose cgroups these are; 0: they were named

  std::optional<MachineReader> machine_reader_;
  std::optional<CgroupReader> cgroup_reader_;
  std::optional<GpuReader> gpu_reader_;
  std::vector<std::string> missing_;
  std::optional<record::Machine> machine_;
  std::vector<record::Cgroup> cgroups_;
  GpuReading gpus_;
  std::int64_t machine_due_ns_ = 0;
  std::int64_t cgroups_due_ns_ = 0;
  std::int64_t limits_due_ns_ = 0;
  std::int64_t exclusive_due_ns_ = 0;
  std::int64_t gpus_due_ns_ = 0;
  bool exclusive_ = false;
  std::map<std::string, std::uint64_t> oom_kills_;  // by path, as last told
};

}  // namespace tidegauge::proc
