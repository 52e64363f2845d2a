// SPDX-License-Identifier: Apache-2.0
// What the kernel lets us do, found out by asking and nothing else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/root.h"

namespace tidegauge::proc {

enum class Access { Yes, Denied, Absent };

// Whether PID/FILE can be opened. The kernel checks rights there; nothing is read, because reading
// some of them stops the process.
Access access_to(const Root& root, pid_t pid, std::string_view file);

// What follows `name` in the line that begins with it ("Uid:" in PID/status); empty if none does.
std::string_view field_of(std::string_view text, std::string_view name);

// The rights of a process to files, apart from capabilities.
struct UserIds {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups{};  // the supplementary ones
  bool operator==(const UserIds&) const = default;
};

// The effective ids in a PID/status file; Malformed where it holds none.
Result<UserIds> parse_user_ids(std::string_view status);
Result<UserIds> user_ids_of(const Root& root, pid_t pid);

// True in the machine's first namespace of a kind ("pid", "cgroup", "user"), and where it cannot be
// told.
bool in_first_namespace(const Root& root, std::string_view kind);

// Capabilities that we have now, as bits.
std::uint64_t own_capabilities(const Root& root);
inline constexpr std::uint64_t kCapSysPtrace = 1ull << 19;
inline constexpr std::uint64_t kCapSysAdmin = 1ull << 21;

// The ioctls PAGEMAP_SCAN of PID/pagemap (Linux 6.7) and PROCMAP_QUERY of PID/maps (6.11).
bool has_pagemap_scan(const Root& root);
bool has_procmap_query(const Root& root);

// "sudo setcap cap_sys_ptrace+ep /usr/bin/tidegauge"
std::string how_to_get_rights(const Root& root);

// "joe", or "user 1000" where nobody knows the name.
std::string user_name(uid_t uid);

}  // namespace tidegauge::proc
