// SPDX-License-Identifier: Apache-2.0
// Sample: what the kernel said about a process tree at one moment. Facts only, in bytes. An empty
// field is one that the kernel did not tell us, which is never the same as zero.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidegauge::record {

using Bytes = std::optional<std::uint64_t>;
using Count = std::optional<std::uint64_t>;

// A pid alone names nothing: the kernel hands it out again. With the start time it names one
// process for as long as the machine is up.
struct ProcessId {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat

  auto operator<=>(const ProcessId&) const = default;  // NOLINT(modernize-use-nullptr): clang 14
};

// What a process is in a job. Named without being asked, from its command line and its place in
// the tree.
enum class Role {
  Other,
  Main,           // the job itself: the one to report on
  Wrapper,        // uv run, sh -c, torchrun, accelerate launch: starts the job and waits
  CompileWorker,  // torch inductor's pool
  LoaderWorker,   // a DataLoader's worker
};

// The memory of one process.
struct Memory {
  Bytes rss{};
  Bytes anon{};
  Bytes file{};
  Bytes shmem{};
  Bytes swap{};
  Bytes hugetlb{};
  Bytes page_tables{};
  Bytes locked{};
  Bytes peak_rss{};  // VmHWM: since the process began, or since somebody reset it
  // From a walk over the page tables: there only in the samples in which one was due.
  Bytes uss{};  // private to this process
  Bytes pss{};  // shared pages divided by the number of those who share them
  Bytes pss_anon{};
  Bytes pss_file{};
  Bytes pss_shmem{};
  Bytes gpu{};  // on all devices together

  bool operator==(const Memory&) const = default;
};

// What one process was doing.
struct Activity {
  char state = '?';  // as in /proc/PID/stat: R, S, D, Z, T…
  Count threads{};
  Count vmas{};
  Count fds{};
  Count minor_faults{};
  Count major_faults{};

  bool operator==(const Activity&) const = default;
};

// A series that is not one of ours: a column of somebody's CSV.
struct NamedBytes {
  std::string name;
  double bytes = 0;

  bool operator==(const NamedBytes&) const = default;
};

struct ProcessSample {
  ProcessId id{};
  Memory memory{};
  Activity activity{};
  std::vector<NamedBytes> others{};

  bool operator==(const ProcessSample&) const = default;
};

struct Machine {
  Bytes total{};
  Bytes available{};
  Bytes free{};
  Bytes cached{};
  Bytes shmem{};
  Bytes swap_total{};
  Bytes swap_free{};
  Bytes dev_shm_total{};
  Bytes dev_shm_used{};
  // Share of the last 10 s in which some / all tasks waited for memory, 0..100.
  std::optional<double> pressure_some{};
  std::optional<double> pressure_full{};

  bool operator==(const Machine&) const = default;
};

// One memory cgroup on the way from the job's own group to the root. `limit` is empty where the
// group has none.
struct Cgroup {
  int version = 2;   // 1 or 2
  std::string path;  // below the mount point of its hierarchy
  // The job has it to itself: every process in it, subgroups included, is in this sample. Only then
  // can what it is charged be held against what the processes hold.
  bool exclusive = false;
  Bytes limit{};
  Bytes high{};
  Bytes current{};
  Bytes swap{};
  Bytes anon{};
  Bytes file{};  // page cache, without shmem: the four kinds can be added up
  Bytes shmem{};
  Bytes kernel{};
  // Times the limit was hit and nothing could be reclaimed. Empty in version 1, whose failcnt also
  // counts the hits that reclaiming page cache has answered.
  Count oom{};
  Count oom_kill{};  // processes killed for it

  bool operator==(const Cgroup&) const = default;
};

struct Gpu {
  int index = 0;
  Bytes total{};
  Bytes used{};

  bool operator==(const Gpu&) const = default;
};

struct Sample {
  std::int64_t at_ns = 0;  // since the recording began, by CLOCK_MONOTONIC
  std::vector<ProcessSample> processes{};
  std::optional<Machine> machine{};
  std::vector<Cgroup> cgroups{};  // the job's own first, then its ancestors that have a limit
  std::vector<Gpu> gpus{};
  std::vector<NamedBytes> others{};
  // Of two samples from one reader with the same number here, other than 0, the processes are
  // equal: nobody needs to compare them. Says nothing else, and is not compared.
  std::uint64_t processes_version = 0;

  bool operator==(const Sample& other) const {
    return at_ns == other.at_ns && processes == other.processes && machine == other.machine &&
           cgroups == other.cgroups && gpus == other.gpus && others == other.others;
  }
};

}  // namespace tidegauge::record
