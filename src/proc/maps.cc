// SPDX-License-Identifier: Apache-2.0
#include "proc/maps.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

std::optional<std::uint64_t> hexadecimal(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

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

std::optional<Mapping> parse_mapping(std::string_view line) {
  const auto range = next_word(line);
  const auto dash = range.find('-');
  if (dash == range.npos) return {};
  const auto begin = hexadecimal(range.substr(0, dash));
  const auto end = hexadecimal(range.substr(dash + 1));
  const auto permissions = next_word(line);
  if (!begin || !end || *end <= *begin || permissions.size() != 4) return {};
  for (int column = 0; column < 3; ++column) next_word(line);  // offset, device, inode
  const auto path = trimmed(line);
  return Mapping{.begin = *begin,
                 .end = *end,
                 .backing = backing_of(path),
                 .accessible = !permissions.starts_with("---"),
                 .hugetlb = starts_with_any(path, {"/anon_hugepage", "/dev/hugepages/"})};
}

}  // namespace

std::vector<Mapping> parse_maps(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const auto mapping = parse_mapping(next_line(text));
    if (!mapping) continue;
    // Read in pieces while the process goes on mapping: a piece may begin below where the last
    // one ended.
    if (!mappings.empty() && mapping->begin < mappings.back().end) continue;
    mappings.push_back(*mapping);
  }
  return mappings;
}

}  // namespace tidegauge::proc
