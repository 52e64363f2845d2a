// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup_place.h"

#include <algorithm>

namespace tidegauge::proc {

namespace {

constexpr std::string_view kSys = "/sys";

int version_of(const Mount& mount) {
  if (mount.type == "cgroup2") return 2;
  return mount.type == "cgroup" ? 1 : 0;
}

// What is left of `path` below `top`, beginning with a slash. Nothing if it is not below it.
std::optional<std::string> below(std::string_view top, std::string_view path) {
  while (top.ends_with('/')) top.remove_suffix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with(top)) return {};
  path.remove_prefix(top.size());
  if (path.empty()) return "/";
  if (path[0] != '/') return {};  // "/ab" is not below "/a"
  return std::string(path);
}

// "/../x" is a group outside our cgroup namespace, which no mount of ours shows.
bool leaves(std::string_view path) {
  return path == "/.." || path.starts_with("/../") || path.ends_with("/..") ||
         path.find("/../") != std::string_view::npos;
}

std::string openable(const std::string& point, const std::string& sys) {
  const auto rest = below(kSys, point);
  if (!rest) return point;
  return *rest == "/" ? sys : sys + *rest;
}

struct Wanted {
  int version = 2;
  std::string_view path;
  std::string_view controller = "memory";  // of version 1
};

void add_places(std::vector<CgroupPlace>& places, const Wanted& wanted,
                std::span<const Mount> mounts, const std::string& sys) {
  // From the last mount, which covers what is below it.
  for (auto mount = mounts.rbegin(); mount != mounts.rend(); ++mount) {
    if (version_of(*mount) != wanted.version) continue;
    if (wanted.version == 1 && !has_option(mount->options, wanted.controller)) continue;
    auto path = below(mount->root, wanted.path);
    const bool guessed = !path || leaves(*path);
    places.push_back({.version = wanted.version,
                      .mount = openable(mount->point, sys),
                      .path = guessed ? "/" : std::move(*path),
                      .guessed = guessed});
  }
}

}  // namespace

std::vector<CgroupPlace> controller_places(std::string_view controller,
                                           std::span<const Membership> memberships,
                                           std::span<const Mount> mounts, const std::string& sys) {
  std::vector<CgroupPlace> places;
  for (const auto& membership : memberships) {
    if (has_option(membership.controllers, controller)) {
      add_places(places, {1, membership.path, controller}, mounts, sys);
    }
  }
  return places;
}

std::vector<CgroupPlace> unified_places(std::span<const Membership> memberships,
                                        std::span<const Mount> mounts, const std::string& sys) {
  std::vector<CgroupPlace> places;
  for (const auto& membership : memberships) {
    if (membership.hierarchy == 0 && membership.controllers.empty()) {
      add_places(places, {2, membership.path}, mounts, sys);
    }
  }
  return places;
}

std::vector<CgroupPlace> memory_places(std::span<const Membership> memberships,
                                       std::span<const Mount> mounts, const std::string& sys) {
  // Where version 1 has the memory controller, version 2 cannot have it.
  auto places = controller_places("memory", memberships, mounts, sys);
  const auto unified = unified_places(memberships, mounts, sys);
  places.insert(places.end(), unified.begin(), unified.end());
  std::stable_partition(places.begin(), places.end(),
                        [](const CgroupPlace& place) { return !place.guessed; });
  return places;
}

std::vector<CgroupPlace> named_places(std::string_view name, std::span<const Mount> mounts,
                                      const std::string& sys) {
  std::vector<CgroupPlace> folders;
  std::vector<CgroupPlace> paths;
  const std::string rooted = name.starts_with('/') ? std::string(name) : "/" + std::string(name);
  if (leaves(rooted)) return {};
  for (auto mount = mounts.rbegin(); mount != mounts.rend(); ++mount) {
    const int version = version_of(*mount);
    if (version == 0) continue;
    const auto point = openable(mount->point, sys);
    if (auto path = below(point, rooted)) folders.push_back({version, point, std::move(*path)});
    if (auto path = below(mount->root, rooted)) paths.push_back({version, point, *path});
    if (mount->root != "/") paths.push_back({version, point, *below("", rooted)});
  }
  const auto counts_memory = [&](const CgroupPlace& place) {
    return std::any_of(mounts.begin(), mounts.end(), [&](const Mount& mount) {
      return openable(mount.point, sys) == place.mount && version_of(mount) == 1 &&
             has_option(mount.options, "memory");
    });
  };
  std::stable_partition(paths.begin(), paths.end(), counts_memory);
  std::stable_partition(paths.begin(), paths.end(), [&](const CgroupPlace& place) {
    return place.version == 2 || counts_memory(place);
  });
  folders.insert(folders.end(), paths.begin(), paths.end());
  return folders;
}

std::optional<std::string> parent_path(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos || path == "/") return {};
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace tidegauge::proc
