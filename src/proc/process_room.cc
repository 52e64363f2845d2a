// SPDX-License-Identifier: Apache-2.0
#include "proc/process_room.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// Nothing: "max", or no such file.
std::optional<std::uint64_t> number_in(const Root& folder, const char* file) {
  const auto text = folder.read(file);
  return text ? to_number<std::uint64_t>(trimmed(*text)) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> processes_left(const Roots& roots) {
  const auto root = Root::open(roots.proc);
  if (!root) return {};
  const auto memberships = root->read("self/cgroup");
  const auto mounts = root->read("self/mountinfo");
  if (!memberships || !mounts) return {};
  const auto in = parse_memberships(*memberships);
  const auto seen = parse_mountinfo(*mounts);
  auto places = controller_places("pids", in, seen, roots.sys);
  for (auto& place : unified_places(in, seen, roots.sys)) places.push_back(std::move(place));
  std::optional<std::uint64_t> least;
  for (const auto& place : places) {
    for (std::optional<std::string> path = place.path; path; path = parent_path(*path)) {
      const auto folder = Root::open(*path == "/" ? place.mount : place.mount + *path);
      const auto most = folder ? number_in(*folder, "pids.max") : std::nullopt;
      const auto now = most ? number_in(*folder, "pids.current") : std::nullopt;
      if (now) least = std::min(least.value_or(UINT64_MAX), *most > *now ? *most - *now : 0);
    }
  }
  return least;
}

}  // namespace tidegauge::proc
