// SPDX-License-Identifier: Apache-2.0
// Programs that kill for want of memory leave no counter of the kernel's, but lines in the journal
// and marks on groups.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proc/roots.h"

namespace tidegauge::guard {

enum class Killer : std::uint8_t { None, Earlyoom, Oomd };

struct Accused {
  Killer killer = Killer::None;
  std::string line{};  // of the journal; empty: it is known otherwise
};

// What lines of the journal (messages only) say about one of these processes, or about a group that
// one of `groups` (paths from the top of the hierarchy) is in.
Accused killer_in(std::string_view journal, const std::set<pid_t>& pids,
                  const std::vector<std::string>& groups);

// How many processes systemd-oomd says it has killed in these folders; -1: none of them says.
std::int64_t oomd_kills(const std::vector<std::string>& folders);

// Of those that run on this machine now and kill by themselves: "earlyoom", "systemd-oomd"…
std::vector<std::string> killers_running(const proc::Roots& roots);

// Paths of the groups that a process is in, without that of a cell of ours.
std::vector<std::string> groups_of(const proc::Roots& roots, pid_t pid);

}  // namespace tidegauge::guard
