// SPDX-License-Identifier: Apache-2.0
// What is opened of a process while we have the rights to open it. Nothing here looks into what the
// process holds: that is done by a process of ours without rights (census/reader_process.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "census/layout_cache.h"
#include "census/regions.h"

namespace tidegauge::census {

// A file that the process has mapped and that may hold a CPython.
struct CodeFile {
  UniqueFd file{};
  Address loaded_at = 0;
  std::uint64_t bytes = 0;
};

struct Target {
  pid_t pid = 0;
  uid_t user = 0;
  std::string program{};  // its file, as the process sees it
  std::vector<Region> regions{};
  std::vector<CodeFile> code{};  // the likeliest first
  UniqueFd memory{};
  UniqueFd pagemap{};
  std::uint64_t anonymous_bytes = 0;  // resident; pages of files are not counted
  std::uint64_t swapped_bytes = 0;
  std::span<const Layout> known = known_layouts();
  std::vector<KeptLayout> layouts{};  // what was learned of other builds

  std::vector<int> descriptors() const;
};

// Gone: no such process. Denied: its memory may not be read by us.
Result<Target> open_target(pid_t pid);

}  // namespace tidegauge::census
