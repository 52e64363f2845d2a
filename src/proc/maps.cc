// SPDX-License-Identifier: Apache-2.0
#include "proc/maps.h"

#include <algorithm>

#include "base/mapping.h"
#include "base/text.h"

namespace tidegauge::proc {

namespace {

bool starts_with_any(std::string_view path, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return path.starts_with(prefix); });
}

// maps does not say which file system a file is on; its path does, for all that is commonly used.
Backing backing_of(std::string_view path) {
  if (!path.starts_with('/')) return Backing::Nothing;  // none, or [heap], [stack]…
  const bool shmem =
      starts_with_any(path, {"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero (deleted)"});
  return shmem ? Backing::Shmem : Backing::File;
}

Mapping mapping_of(const MappingLine& line) {
  return {.begin = line.begin,
          .end = line.end,
          .backing = backing_of(line.path),
          .accessible = !line.permissions.starts_with("---"),
          .hugetlb = starts_with_any(line.path, {"/anon_hugepage", "/dev/hugepages/"})};
}

}  // namespace

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const auto line = parse_mapping_line(next_line(text));
    if (!line) continue;
    // Read in pieces while the process goes on mapping: a piece may begin below where the last
    // one ended.
    if (!mappings.empty() && line->begin < mappings.back().end) continue;
    mappings.push_back(mapping_of(*line));
  }
  return mappings;
}

}  // namespace tidegauge::proc
