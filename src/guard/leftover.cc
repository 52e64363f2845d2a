// SPDX-License-Identifier: Apache-2.0
#include "guard/leftover.h"

#include <fcntl.h>

#include <filesystem>
#include <system_error>

#include "guard/cell.h"
#include "guard/group_files.h"
#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

namespace fs = std::filesystem;

// A machine may have more groups than anybody wants to wait for.
constexpr int kMostGroups = 20'000;

bool lives(const proc::Root& root, const record::ProcessId& owner) {
  const auto stat = proc::read_stat(root, owner.pid);
  return stat && stat->id == owner && !proc::has_ended(*stat);
}

bool says(const std::string& folder, const char* name, std::string_view word) {
  GroupText buffer;
  return read_group(open_in(folder, name, O_RDONLY), buffer).find(word) != std::string_view::npos;
}

void search(std::vector<Leftover>& all, const proc::Root& root, const std::string& mount) {
  std::error_code error;
  int seen = 0;
  // Groups come and go meanwhile.
  for (fs::recursive_directory_iterator at(mount, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->is_directory(error)) continue;
    if (++seen > kMostGroups) return;
    const auto folder = at->path().string();
    const auto name = at->path().filename().string();
    const auto owner = owner_of(name);
    if (!owner || lives(root, *owner)) continue;
    if (says(folder, "cgroup.events", "frozen 1")) {
      all.push_back({mount, name, "cgroup.freeze", "0"});
    } else if (says(folder, "freezer.state", "FROZEN")) {
      all.push_back({mount, name, "freezer.state", "THAWED"});
    }
  }
}

}  // namespace

std::vector<Leftover> frozen_leftovers(const proc::Roots& roots) {
  std::vector<Leftover> all;
  const auto root = proc::Root::open(roots.proc);
  const auto memberships = root ? root->read("self/cgroup") : Result<std::string>(root.error());
  const auto mounts = root ? root->read("self/mountinfo") : Result<std::string>(root.error());
  if (!memberships || !mounts) return all;
  const auto in = proc::parse_memberships(*memberships);
  const auto seen = proc::parse_mountinfo(*mounts);
  for (const auto& place : proc::unified_places(in, seen, roots.sys)) {
    search(all, *root, place.mount);
  }
  for (const auto& place : proc::controller_places("freezer", in, seen, roots.sys)) {
    search(all, *root, place.mount);
  }
  return all;
}

}  // namespace tidegauge::guard
