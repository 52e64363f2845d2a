// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup_files.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

// Version 1 has no word for "no limit": it shows the largest number of whole pages that fits into a
// signed 64-bit number, which depends on the size of a page. No machine has 4 EiB.
constexpr std::uint64_t kNoLimitV1 = std::uint64_t{1} << 62;

// Calls take(key, value) for every "key value" line.
template <class Take>
void for_each_pair(std::string_view text, Take take) {
  while (!text.empty()) {
    auto line = next_line(text);
    const auto key = next_word(line);
    const auto value = to_number<std::uint64_t>(next_word(line));
    if (value) take(key, *value);
  }
}

record::Bytes without(record::Bytes whole, record::Bytes part) {
  if (!whole) return {};
  return *whole - std::min(*whole, part.value_or(0));
}

}  // namespace

std::vector<Membership> parse_memberships(std::string_view text) {
  std::vector<Membership> memberships;
  while (!text.empty()) {
    const auto line = next_line(text);
    const auto first = line.find(':');
    if (first == std::string_view::npos) continue;
    const auto second = line.find(':', first + 1);  // the path may have colons of its own
    if (second == std::string_view::npos) continue;
    const auto hierarchy = to_number<int>(line.substr(0, first));
    if (!hierarchy || *hierarchy < 0) continue;
    memberships.push_back({.hierarchy = *hierarchy,
                           .controllers = std::string(line.substr(first + 1, second - first - 1)),
                           .path = std::string(line.substr(second + 1))});
  }
  return memberships;
}

record::Bytes parse_amount(std::string_view text) {
  return to_number<std::uint64_t>(trimmed(text));
}

record::Bytes parse_limit(std::string_view text) {
  const auto amount = parse_amount(text);
  if (!amount || *amount >= kNoLimitV1) return {};
  return amount;
}

void add_stat_v1(record::Cgroup& group, std::string_view text) {
  record::Bytes cache;
  for_each_pair(text, [&](std::string_view key, std::uint64_t value) {
    // total_ is the group with its children, like usage_in_bytes.
    if (key == "total_rss") group.anon = value;
    if (key == "total_cache") cache = value;
    if (key == "total_shmem") group.shmem = value;
    if (key == "total_swap") group.swap = value;
  });
  group.file = without(cache, group.shmem);
}

void add_oom_control_v1(record::Cgroup& group, std::string_view text) {
  for_each_pair(text, [&](std::string_view key, std::uint64_t value) {
    if (key == "oom_kill") group.oom_kill = value;
  });
}

void add_stat_v2(record::Cgroup& group, std::string_view text) {
  record::Bytes cache;
  record::Bytes kernel;  // since 5.18; before that its parts
  record::Bytes parts;
  for_each_pair(text, [&](std::string_view key, std::uint64_t value) {
    if (key == "anon") group.anon = value;
    if (key == "file") cache = value;
    if (key == "shmem") group.shmem = value;
    if (key == "kernel") kernel = value;
    if (key == "kernel_stack" || key == "pagetables" || key == "percpu" || key == "slab") {
      parts = parts.value_or(0) + value;
    }
  });
  group.file = without(cache, group.shmem);
  group.kernel = kernel ? kernel : parts;
}

void add_events_v2(record::Cgroup& group, std::string_view text) {
  for_each_pair(text, [&](std::string_view key, std::uint64_t value) {
    if (key == "oom") group.oom = value;
    if (key == "oom_kill") group.oom_kill = value;
  });
}

std::vector<pid_t> parse_pids(std::string_view text) {
  std::vector<pid_t> pids;
  while (!text.empty()) {
    const auto pid = to_number<pid_t>(trimmed(next_line(text)));
    if (pid && *pid >= 0) pids.push_back(*pid);
  }
  return pids;
}

}  // namespace tidegauge::proc
