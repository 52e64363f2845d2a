// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::proc {

// One line of /proc/PID/mountinfo.
struct Mount {
  std::string root{};     // which folder of the file system is seen at `point`
  std::string point{};    // as the reading process sees it
  std::string type{};     // "cgroup2"
  std::string options{};  // of the file system, not of the mount point: "rw,memory"

  bool operator==(const Mount&) const = default;
};

// In the file's order: a later mount covers an earlier one at the same point. Lines that make no
// sense are passed over: one odd mount must not cost all the others.
std::vector<Mount> parse_mountinfo(std::string_view text);

// True if the comma-separated `options` have `name`.
bool has_option(std::string_view options, std::string_view name);

}  // namespace tidegauge::proc
