// SPDX-License-Identifier: Apache-2.0
// Where a cgroup's folder is, from what the kernel says of mounts and memberships. Opens nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proc/cgroup_files.h"
#include "proc/mountinfo.h"

namespace tidegauge::proc {

struct CgroupPlace {
  int version = 2;
  std::string mount{};  // the folder where the hierarchy is mounted, as we can open it
  std::string path{};   // of the group below it: "/" or "/a/b"
  // The kernel's path does not lie below what is mounted, as in a container whose /sys was mounted
  // by somebody else: the group may be the mounted one, if the process turns out to be in it.
  bool guessed = false;

  std::string folder() const { return path == "/" ? mount : mount + path; }
  bool operator==(const CgroupPlace&) const = default;
};

// Candidates for the memory cgroup of a process, the likeliest first. `sys` stands for /sys.
std::vector<CgroupPlace> memory_places(std::span<const Membership> memberships,
                                       std::span<const Mount> mounts, const std::string& sys);

// The same for another controller of version 1 ("freezer"), and for version 2 whatever it controls.
std::vector<CgroupPlace> controller_places(std::string_view controller,
                                           std::span<const Membership> memberships,
                                           std::span<const Mount> mounts, const std::string& sys);
std::vector<CgroupPlace> unified_places(std::span<const Membership> memberships,
                                        std::span<const Mount> mounts, const std::string& sys);

// Candidates for a group named by a person: a folder, or a path as in /proc/PID/cgroup.
std::vector<CgroupPlace> named_places(std::string_view name, std::span<const Mount> mounts,
                                      const std::string& sys);

// The group above, up to the mount point; nothing above that.
std::optional<std::string> parent_path(std::string_view path);

}  // namespace tidegauge::proc
