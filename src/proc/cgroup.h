// SPDX-License-Identifier: Apache-2.0
// Memory cgroups, version 1 and 2, and both at once.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "proc/roots.h"
#include "record/sample.h"

namespace tidegauge::proc {

// One process's memory cgroup and its ancestors, again and again. Files stay open and were read
// once by open(), so that read() works where nothing new can be opened: in a group that is filled
// to its last page.
class CgroupReader {
 public:
  // Gone: no such process. Unsupported: no memory controller is to be seen from here.
  static Result<CgroupReader> open(const Roots& roots, pid_t of);
  // The group named as for cgroup_members().
  static Result<CgroupReader> open_path(const Roots& roots, const std::string& path);

  // The process's own memory cgroup first, then those of its ancestors that have a limit or a
  // throttle (`high`). Follows the process into another group. Empty where the process is in no
  // group that counts memory (version 2's root), or its group was removed.
  std::vector<record::Cgroup> read();
  // The same groups with the same limits as the last time; only what they are charged is read.
  std::vector<record::Cgroup> read_counts();

  // True if the first group, with the groups below it, holds nobody but `members` (ascending): only
  // then can what it is charged be compared with what they use.
  bool holds_only(std::span<const pid_t> members);

  // True if we may make groups below the first one and move processes into them.
  bool is_ours_to_change() const;

 private:
  struct Group {
    int version = 2;
    std::string path{};  // below the mount point
    UniqueFd folder{};
    UniqueFd limit{};
    UniqueFd high{};
    UniqueFd current{};
    UniqueFd stat{};
    UniqueFd events{};  // version 1: memory.oom_control
    UniqueFd other{};   // version 1: memory.kmem.usage_in_bytes; version 2: memory.swap.current
    record::Bytes limit_bytes{};  // as read last
    record::Bytes high_bytes{};
  };

  CgroupReader(Roots roots, pid_t of, UniqueFd memberships);
  static Group open_group(int version, std::string path, UniqueFd folder);
  bool open_ancestry(int version, const std::string& mount, const std::string& from);
  Result<> find_groups();
  void follow();
  std::string_view text_of(const UniqueFd& fd);
  void read_rest(const Group& group, record::Cgroup& into);

  Roots roots_;
  pid_t of_ = 0;
  UniqueFd memberships_;       // PID/cgroup; none for open_path
  std::string last_seen_;      // its text
  std::vector<Group> groups_;  // the process's own first, then upwards
  std::string text_;           // its memory is used again
};

// Pids in the group and in the groups below it, ascending. `path` is a folder
// ("/sys/fs/cgroup/memory/job") or a path below a mount point ("/job", looked for in the memory
// hierarchy first). Gone: no such group.
Result<std::vector<pid_t>> cgroup_members(const Roots& roots, const std::string& path);

}  // namespace tidegauge::proc
