// SPDX-License-Identifier: Apache-2.0
// Follows process trees and turns what the kernel says about them into entries of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "proc/find.h"
#include "proc/roots.h"
#include "record/recording.h"
#include "secrets/mask.h"

namespace tidegauge::proc {

struct CollectOptions {
  Roots roots{};
  double interval_seconds = 1;
  // Share of one core that walks over page tables (pss, uss) may cost.
  double deep_scan_budget = 0.001;
  bool deep_scans = true;
  bool gpu = true;
  std::string nvml = "libnvidia-ml.so.1";
  // Files kept open between looks, three a process; fewer where the process may not have as many.
  std::size_t most_kept_files = 3000;
};

class Collector {
 public:
  // Watches the trees below `roots`. Gone: no such process; Denied: not ours to read, with what to
  // change in the message.
  static Result<Collector> open(const std::vector<pid_t>& roots, const CollectOptions& options);
  // Watches all processes of one cgroup (a path below its mount point, or an absolute one).
  static Result<Collector> open_cgroup(const std::string& path, const CollectOptions& options);
  Collector(Collector&&) noexcept;
  Collector& operator=(Collector&&) noexcept;
  ~Collector();

  // Another tree to watch from now on.
  Result<> add_root(pid_t pid);

  // Looks once, at `now_ns` after the recording began. New and changed processes and events come
  // before the sample that first has them; the sample is the last entry. The reference is good
  // until the next call.
  const std::vector<record::Entry>& collect(std::int64_t now_ns);

  // A process of the trees that was our own child has ended, and we know how: its exit status, or
  // 128 + signal.
  void told_end(pid_t pid, int status);

  // CPU time that was spent on what the last look has found: it counts as looking.
  void add_cost(double cpu_seconds);

  // The next look is the last one: it asks after all, also those that have been quiet for long.
  void look_at_all_next();

  bool all_gone() const;  // nothing is left of the trees
  double recommended_interval_seconds()
      const;  // longer than asked where looking would cost too much
  std::vector<std::string>
  take_warnings();  // each once: what could not be read, and what would help
  record::Header header(const std::string& tool, const std::string& command) const;

 private:
  struct State;
  explicit Collector(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tidegauge::proc
