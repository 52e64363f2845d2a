// SPDX-License-Identifier: Apache-2.0
// Cells for trees that run already.
#include <fcntl.h>
#include <sys/stat.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "guard/cell.h"
#include "guard/group_files.h"
#include "guard/left_groups.h"
#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

// A tree that forks all the time is gone through so often; its later children are born inside.
constexpr int kRounds = 50;

bool is_still(const proc::Root& root, const record::ProcessId& id) {
  const auto stat = proc::read_stat(root, id.pid);
  return stat && stat->id == id;
}

// The process and all that descend from it now, each with its start time.
std::set<record::ProcessId> tree_of(const proc::Root& root, const record::ProcessId& top) {
  std::vector<proc::Stat> all;
  const auto pids = root.pids();
  for (const auto pid : pids ? *pids : std::vector<pid_t>{}) {
    if (auto stat = proc::read_stat(root, pid)) all.push_back(*std::move(stat));
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

Cell Cell::of_folder(const std::string& folder, int version, double limit_bytes) {
  Cell cell;
  cell.memory_version_ = version;
  if (limit_bytes > 0) cell.open_memory(folder, limit_bytes);
  cell.open_levers(folder, version);
  return cell;
}

// Until nobody is left outside: children of those inside are born there.
bool Cell::take_in(const proc::Roots& roots, const record::ProcessId& top) const {
  const auto root = proc::Root::open(roots.proc);
  if (!root || !home_procs_) return false;
  for (int round = 0; round < kRounds; ++round) {
    bool moved = false;
    for (const auto& id : tree_of(*root, top)) {
      if (holds(id.pid)) continue;
      if (!write_group(freezer_procs_, id.pid)) continue;
      moved = true;
      // Its pid may have become another's in between.
      if (!is_still(*root, id)) write_group(home_procs_, id.pid);
    }
    if (!moved) break;
  }
  return holds(top.pid);
}

void Cell::release() const {
  if (!home_procs_) return;
  thaw();
  for (int round = 0; round < kRounds && !is_empty(); ++round) {
    std::string text;
    if (!proc::read_again(freezer_procs_.get(), text, "cgroup.procs")) return;
    for (const auto pid : proc::parse_pids(text)) write_group(home_procs_, pid);
  }
}

std::vector<proc::CgroupPlace> Cell::find_memory_of(const proc::Roots& roots, pid_t pid) {
  const auto root = proc::Root::open(roots.proc);
  const auto memberships = root ? root->read(pid, "cgroup") : Result<std::string>(root.error());
  const auto mounts = root ? root->read("self/mountinfo") : Result<std::string>(root.error());
  if (!memberships || !mounts) {
    missing_.emplace_back("no control groups are to be seen from here");
    return {};
  }
  const auto in = proc::parse_memberships(*memberships);
  const auto seen = proc::parse_mountinfo(*mounts);
  for (const auto& place : proc::memory_places(in, seen, roots.sys)) {
    if (place.guessed || !memory_folders_.empty()) continue;
    memory_version_ = place.version;
    add_memory_folders(place);
  }
  return proc::unified_places(in, seen, roots.sys);
}

Cell Cell::beside(const proc::Roots& roots, record::ProcessId top) {
  Cell cell;
  (void)cell.find_memory_of(roots, top.pid);
  cell.missing_.emplace_back("no group that could be frozen: none can be made where the job is");
  return cell;
}

Cell Cell::adopt(const proc::Roots& roots, record::ProcessId top) {
  Cell cell;
  const auto root = proc::Root::open(roots.proc);
  const auto name = root ? own_name(*root) : Result<std::string>(root.error());
  for (const auto& place : cell.find_memory_of(roots, top.pid)) {
    if (!name || place.guessed) continue;
    remove_left_groups(*root, place.folder());
    const auto folder = place.folder() + "/" + *name;
    if (::mkdir(folder.c_str(), 0755) != 0) continue;
    cell.folders_.push_back(folder);
    cell.home_procs_ = open_in(place.folder(), "cgroup.procs", O_WRONLY);
    if (cell.home_procs_ && cell.open_levers(folder, 2)) return cell;
    break;
  }
  cell.home_procs_ = UniqueFd();
  return cell;
}

}  // namespace tidegauge::guard
