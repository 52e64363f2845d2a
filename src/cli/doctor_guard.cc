// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_guard.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "guard/cell.h"
#include "guard/leftover.h"
#include "proc/findings.h"
#include "proc/probe.h"
#include "proc/root.h"

namespace tidegauge::cli {

namespace {

constexpr std::uint64_t kCapIpcLock = 1ull << 14;
constexpr std::uint64_t kCapSysNice = 1ull << 23;
constexpr rlim_t kLockedBytes = 64u << 20;  // the actor and its libraries
constexpr double kAnyLimit = 1e12;

constexpr const char* kScope =
    "as root, or systemd-run --user --scope -p Delegate=yes tidegauge run --guard …";

rlim_t soft_limit(decltype(RLIMIT_RTPRIO) kind) {
  rlimit limit{};
  return ::getrlimit(kind, &limit) == 0 ? limit.rlim_cur : 0;
}

std::string reason_of(const guard::Cell& cell, std::string_view about) {
  for (const auto& missing : cell.missing()) {
    if (missing.find(about) != missing.npos) return missing;
  }
  return "not here";
}

void add_groups(proc::Findings& findings) {
  const auto cell = guard::Cell::make(proc::Roots{}, kAnyLimit);
  if (cell.can_limit()) {
    findings.good("memory", fmt::format("a group and a limit of the job's own, version {}",
                                        cell.memory_version()));
  } else {
    findings.limited("memory",
                     reason_of(cell, "memory group") +
                         "; a limit is watched, not kept by the kernel, and nothing is lent",
                     kScope);
  }
  if (cell.can_freeze() && cell.can_kill()) {
    findings.good("freezing", "a whole tree can be frozen and killed at once");
  } else {
    findings.limited(
        "freezing",
        reason_of(cell, "frozen") +
            "; a job is asked, gets SIGTERM, and is killed one process after the other",
        kScope);
  }
}

void add_rights(proc::Findings& findings) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto rights = root ? proc::own_capabilities(*root) : 0;
  if ((rights & kCapSysNice) != 0 || soft_limit(RLIMIT_RTPRIO) > 0) {
    findings.good("priority", "may run before the job");
  } else {
    findings.limited("priority",
                     "runs like any other process: its freeze may come 30 ms later under load",
                     "setcap cap_sys_nice+ep, or ulimit -r 1");
  }
  if ((rights & kCapIpcLock) != 0 || soft_limit(RLIMIT_MEMLOCK) >= kLockedBytes) {
    findings.good("its own memory", "can be locked");
  } else {
    findings.limited("its own memory", "cannot be locked", "ulimit -l 65536");
  }
}

}  // namespace

std::vector<proc::Finding> examine_guard() {
  proc::Findings findings("guard");
  if (const auto other = guard::guard_of(proc::Roots{}, ::getpid()); other != 0) {
    findings.limited("guard", fmt::format("{} guards what this is a part of", other));
  }
  for (const auto& left : guard::frozen_leftovers(proc::Roots{})) {
    findings.limited("frozen", left.name + " stands still, and its guard is dead",
                     fmt::format("echo {} | tee $(find {} -path '*/{}/{}')", left.word, left.mount,
                                 left.name, left.file));
  }
  add_groups(findings);
  add_rights(findings);
  return findings.take();
}

}  // namespace tidegauge::cli
