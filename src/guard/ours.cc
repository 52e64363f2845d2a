// SPDX-License-Identifier: Apache-2.0
#include "guard/ours.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "guard/group_files.h"
#include "proc/cgroup_files.h"
#include "proc/root.h"
#include "proc/smaps_rollup.h"
#include "proc/stat.h"
#include "proc/statm.h"

namespace tidegauge::guard {

namespace {

// Page tables of more than that take long to walk. Of ours the few pages that are shared do not
// matter then; of a copy nothing is known, and nothing is taken off.
constexpr double kLargestOfOurs = 64.0 * 1024 * 1024;
constexpr double kLargestCopy = 4096.0 * 1024 * 1024;
// A group of so many is not a job's own.
constexpr std::size_t kMostInGroup = 256;
constexpr std::size_t kMostOfOurs = 64;

double anonymous_of(const proc::Root& root, pid_t pid) {
  const auto text = root.read(pid, "statm");
  const auto statm = text ? proc::parse_statm(*text) : Result<proc::Statm>(text.error());
  if (!statm || statm->resident < statm->shared) return 0;
  return static_cast<double>(statm->resident - statm->shared) *
         static_cast<double>(::sysconf(_SC_PAGESIZE));
}

proc::Rollup rollup_of(const proc::Root& root, pid_t pid) {
  const auto text = root.read(pid, "smaps_rollup");
  const auto rollup = text ? proc::parse_smaps_rollup(*text) : Result<proc::Rollup>(text.error());
  return rollup ? *rollup : proc::Rollup{};
}

// Pages that several of ours share since a fork are charged once.
double charged_to(const proc::Root& root, pid_t pid) {
  const double all = anonymous_of(root, pid);
  if (all > kLargestOfOurs) return all;
  const auto rollup = rollup_of(root, pid);
  if (!rollup.pss_anon) return 0;  // not ours to read, or an old kernel
  return static_cast<double>(*rollup.pss_anon + rollup.pss_shmem.value_or(0));
}

std::vector<pid_t> children_of(const proc::Root& root, pid_t pid) {
  std::vector<pid_t> children;
  const auto threads = root.list(pid, "task");
  for (const auto& thread : threads ? *threads : std::vector<std::string>{}) {
    const auto text = root.read(pid, fmt::format("task/{}/children", thread));
    std::string_view words = text ? std::string_view(*text) : std::string_view();
    while (const auto child = to_number<pid_t>(next_word(words))) children.push_back(*child);
  }
  return children;
}

// All that run our image, by fork from us: what a job executes has another. Of one that has given
// up its rights that may not be known to us; a child of ours whose image is not known may be the
// job, but one of those that work for us is not.
double beside(const proc::Root& root) {
  const auto self = proc::read_stat(root, ::getpid());
  if (!self || !self->image.known()) return 0;
  double bytes = 0;
  std::vector<pid_t> ours{::getpid()};
  for (std::size_t i = 0; i < ours.size() && i < kMostOfOurs; ++i) {
    bytes += charged_to(root, ours[i]);
    for (const auto child : children_of(root, ours[i])) {
      const auto stat = proc::read_stat(root, child);
      if (!stat) continue;
      const bool works_for_ours = i > 0 && !stat->image.known();
      if (works_for_ours || stat->image == self->image) ours.push_back(child);
    }
  }
  return bytes;
}

double inside(const proc::Root& root, const std::string& job_folder) {
  const auto list = open_in(job_folder, "cgroup.procs", O_RDONLY);
  std::string text;
  if (!list || !proc::read_again(list.get(), text, "cgroup.procs")) return 0;
  const auto pids = proc::parse_pids(text);
  if (pids.size() > kMostInGroup) return 0;
  double bytes = 0;
  for (const auto pid : pids) {
    const auto stat = proc::read_stat(root, pid);
    if (!stat || !proc::is_census_copy(*stat) || anonymous_of(root, pid) > kLargestCopy) continue;
    bytes += static_cast<double>(rollup_of(root, pid).uss.value_or(0));
  }
  return bytes;
}

}  // namespace

Ours measure_ours(const proc::Roots& roots, const std::string& job_folder) {
  const auto root = proc::Root::open(roots.proc);
  if (!root) return {};
  return {.beside = beside(*root), .inside = job_folder.empty() ? 0 : inside(*root, job_folder)};
}

}  // namespace tidegauge::guard
