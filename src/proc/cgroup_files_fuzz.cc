// SPDX-License-Identifier: Apache-2.0
// The texts of cgroup files, and where they lead: /proc/PID/cgroup, then "%%", then mountinfo.
#include "proc/cgroup_files.h"

#include <cstdint>
#include <cstdlib>

#include "proc/cgroup_place.h"
#include "proc/mountinfo.h"

namespace {

using namespace tidegauge;

void check_kinds(std::string_view text) {
  record::Cgroup first;
  proc::add_stat_v1(first, text);
  record::Cgroup second;
  proc::add_stat_v2(second, text);
  proc::add_events_v2(second, text);
  proc::add_oom_control_v1(first, text);
  const auto limit = proc::parse_limit(text);
  if (limit && limit != proc::parse_amount(text)) std::abort();
  for (const auto pid : proc::parse_pids(text)) {
    if (pid < 0) std::abort();
  }
}

void check_places(std::string_view text) {
  const auto middle = std::min(text.find("%%"), text.size());
  const auto memberships = proc::parse_memberships(text.substr(0, middle));
  const auto mounts = proc::parse_mountinfo(text.substr(std::min(middle + 2, text.size())));
  for (const auto& place : proc::memory_places(memberships, mounts, "/tmp/sys")) {
    // No text leads us out of a mounted hierarchy.
    if (!place.path.starts_with('/') || place.path.find("/../") != place.path.npos ||
        place.path.ends_with("/..")) {
      std::abort();
    }
    std::size_t steps = 0;
    for (auto path = proc::parent_path(place.path); path; path = proc::parent_path(*path)) {
      if (++steps > place.path.size()) std::abort();
    }
  }
  if (memberships.empty()) return;
  (void)proc::named_places(memberships[0].path, mounts, "/tmp/sys");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_kinds(text);
  check_places(text);
  return 0;
}
