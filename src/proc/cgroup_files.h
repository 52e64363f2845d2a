// SPDX-License-Identifier: Apache-2.0
// The texts of a cgroup's files, and of /proc/PID/cgroup. Opens nothing.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "record/sample.h"

namespace tidegauge::proc {

// One line of /proc/PID/cgroup: where the process is in one hierarchy.
struct Membership {
  int hierarchy = 0;          // 0: version 2
  std::string controllers{};  // "cpu,cpuacct"; empty for version 2
  std::string path{};         // "/docker/4a3f"; "/../x" where it is outside our cgroup namespace

  bool operator==(const Membership&) const = default;
};
std::vector<Membership> parse_memberships(std::string_view text);

// A file that holds one number. Nothing for "max", and nothing for version 1's way of saying so,
// the largest multiple of a page in a signed number.
record::Bytes parse_limit(std::string_view text);
record::Bytes parse_amount(std::string_view text);

// Fill what these files tell into `group`. `file` is page cache without shmem, so that the kinds
// can be added up.
void add_stat_v1(record::Cgroup& group, std::string_view text);         // memory.stat
void add_oom_control_v1(record::Cgroup& group, std::string_view text);  // memory.oom_control
void add_stat_v2(record::Cgroup& group, std::string_view text);         // memory.stat
void add_events_v2(record::Cgroup& group, std::string_view text);       // memory.events

// cgroup.procs: pids as we see them; 0 is one in a pid namespace that we cannot see.
std::vector<pid_t> parse_pids(std::string_view text);

}  // namespace tidegauge::proc
