// SPDX-License-Identifier: Apache-2.0
// Cells for trees that run already.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "guard/cell.h"
#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

// A tree that forks all the time is gone through so often; its later children are born inside.
constexpr int kRounds = 50;

bool write_pid(int procs, pid_t pid) {
  const auto text = std::to_string(pid);
  return ::pwrite(procs, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

bool is_still(const proc::Root& root, const record::ProcessId& id) {
  const auto text = root.read(id.pid, "stat");
  const auto stat = text ? proc::parse_stat(*text) : Result<proc::Stat>(text.error());
  return stat && stat->id == id;
}

// The process and all that descend from it now, each with its start time.
std::set<record::ProcessId> tree_of(const proc::Root& root, const record::ProcessId& top) {
  std::vector<proc::Stat> all;
  const auto pids = root.pids();
  for (const auto pid : pids ? *pids : std::vector<pid_t>{}) {
    const auto text = root.read(pid, "stat");
    if (auto stat = text ? proc::parse_stat(*text) : Result<proc::Stat>(text.error())) {
      all.push_back(*std::move(stat));
    }
  }
  std::set<record::ProcessId> tree;
  std::set<pid_t> members;
  for (const auto& stat : all) {
    if (stat.id == top) {
      tree.insert(top);
      members.insert(top.pid);
    }
  }
  for (bool grown = !tree.empty(); grown;) {
    grown = false;
    for (const auto& stat : all) {
      if (members.contains(stat.parent) && members.insert(stat.id.pid).second) {
        tree.insert(stat.id);
        grown = true;
      }
    }
  }
  return tree;
}

}  // namespace

Cell Cell::of_folder(const std::string& folder, int version) {
  Cell cell;
  cell.open_levers(folder, version);
  return cell;
}

// Until nobody is left outside: children of those inside are born there.
void Cell::take_in(const proc::Root& root, const record::ProcessId& top) const {
  for (int round = 0; round < kRounds; ++round) {
    bool moved = false;
    for (const auto& id : tree_of(root, top)) {
      if (holds(id.pid)) continue;
      if (!write_pid(freezer_procs_.get(), id.pid)) continue;
      moved = true;
      // Its pid may have become another's in between.
      if (!is_still(root, id)) write_pid(home_procs_.get(), id.pid);
    }
    if (!moved) return;
  }
}

void Cell::release() const {
  if (!home_procs_) return;
  thaw();
  for (int round = 0; round < kRounds && !is_empty(); ++round) {
    std::string text;
    if (!proc::read_again(freezer_procs_.get(), text, "cgroup.procs")) return;
    for (const auto pid : proc::parse_pids(text)) write_pid(home_procs_.get(), pid);
  }
}

Cell Cell::adopt(const proc::Roots& roots, record::ProcessId top) {
  Cell cell;
  const auto root = proc::Root::open(roots.proc);
  const auto memberships = root ? root->read(top.pid, "cgroup") : Result<std::string>(root.error());
  const auto mounts = root ? root->read("self/mountinfo") : Result<std::string>(root.error());
  const auto stat = root ? root->read("self/stat") : Result<std::string>(root.error());
  const auto self = stat ? proc::parse_stat(*stat) : Result<proc::Stat>(stat.error());
  if (!memberships || !mounts || !self) {
    cell.missing_.emplace_back("no control groups are to be seen from here");
    return cell;
  }
  const auto in = proc::parse_memberships(*memberships);
  const auto seen = proc::parse_mountinfo(*mounts);
  for (const auto& place : proc::memory_places(in, seen, roots.sys)) {
    if (place.guessed || !cell.memory_folders_.empty()) continue;
    cell.memory_version_ = place.version;
    for (std::optional<std::string> path = place.path; path; path = proc::parent_path(*path)) {
      cell.memory_folders_.push_back(*path == "/" ? place.mount : place.mount + *path);
    }
  }
  for (const auto& place : proc::unified_places(in, seen, roots.sys)) {
    const auto folder =
        fmt::format("{}/tidegauge-{}-{}", place.folder(), self->id.pid, self->id.start_ticks);
    if (place.guessed || ::mkdir(folder.c_str(), 0755) != 0) continue;
    cell.folders_.push_back(folder);
    cell.home_procs_ =
        UniqueFd(::open((place.folder() + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!cell.home_procs_ || !cell.open_levers(folder, 2)) break;
    cell.take_in(*root, top);
    if (cell.holds(top.pid)) return cell;
    break;
  }
  cell.freeze_ = UniqueFd();
  cell.kill_ = UniqueFd();
  cell.missing_.emplace_back("no group that could be frozen: none can be made where the job is");
  return cell;
}

}  // namespace tidegauge::guard
