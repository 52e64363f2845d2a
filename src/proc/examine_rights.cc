// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "proc/findings.h"
#include "proc/mountinfo.h"
#include "proc/probe.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// More would tell no more.
constexpr std::size_t kAsked = 50;
// Files that are kept open per process.
constexpr rlim_t kFilesPerProcess = 4;
constexpr rlim_t kFewProcesses = 64;

// The value of hidepid= in a mount of /proc; empty if all can be seen.
std::string hidden_by(const std::vector<Mount>& mounts) {
  std::string value;
  for (const auto& mount : mounts) {
    if (mount.type != "proc" || mount.point != "/proc") continue;
    const auto at = mount.options.find("hidepid=");
    value = at == std::string::npos ? "" : mount.options.substr(at + 8);
    value.resize(std::min(value.find(','), value.size()));
  }
  return value == "0" || value == "off" ? "" : value;
}

void add_visibility(Findings& findings, const Root& root) {
  const auto text = root.read("self/mountinfo");
  const auto hidden = text ? hidden_by(parse_mountinfo(*text)) : "";
  const bool pid_namespace = !in_first_namespace(root, "pid");
  if (!hidden.empty() && (own_capabilities(root) & kCapSysPtrace) == 0) {
    findings.limited("processes in /proc", "hidepid=" + hidden + ": only your own can be seen",
                     "run as root, or: sudo mount -o remount,hidepid=0 /proc");
  } else if (pid_namespace) {
    findings.limited(
        "processes in /proc",
        "those of this pid namespace: what runs outside the container cannot be seen",
        "to see it from here: docker run --pid=host, or shareProcessNamespace in a pod");
  } else {
    findings.good("processes in /proc", "all can be seen");
  }
}

void add_container(Findings& findings, const Root& root) {
  std::vector<std::string_view> own;
  for (const auto* kind : {"pid", "cgroup", "user"}) {
    if (!in_first_namespace(root, kind)) own.emplace_back(kind);
  }
  const bool docker = ::access("/.dockerenv", F_OK) == 0;
  const bool podman = ::access("/run/.containerenv", F_OK) == 0;
  const std::string maker = docker ? "Docker" : podman ? "Podman" : "";
  if (own.empty()) {
    findings.good("container", maker.empty() ? "none" : maker + ", with the machine's namespaces");
    return;
  }
  findings.good("container",
                fmt::format("{}{} own {} {}", maker, maker.empty() ? "its" : ", with its",
                            fmt::join(own, ", "), own.size() == 1 ? "namespace" : "namespaces"));
}

// Processes besides ourselves, by whose they are.
struct Others {
  std::vector<pid_t> same_user{};
  std::vector<pid_t> other_users{};
};

Others find_others(const Root& root) {
  Others others;
  const auto pids = root.pids();
  const auto own_user = std::to_string(::geteuid());
  for (const pid_t pid : pids ? *pids : std::vector<pid_t>{}) {
    const auto status = root.read(pid, "status");
    if (pid == ::getpid() || !status || field_of(*status, "VmRSS:").empty()) continue;
    auto users = field_of(*status, "Uid:");
    auto& of_kind = next_word(users) == own_user ? others.same_user : others.other_users;
    if (of_kind.size() < kAsked) of_kind.push_back(pid);
  }
  return others;
}

std::string more_rights_for(const Root& root) {
  return (::geteuid() == 0 ? "" : "run as root, or: ") + how_to_get_rights(root);
}

// Adds what can be opened of all; false if it is none of them.
bool add_opening(Findings& findings, const Root& root, const std::vector<pid_t>& pids,
                 std::string_view file, const std::string& what) {
  std::size_t readable = 0;
  std::size_t denied = 0;  // one that has ended meanwhile is neither
  for (const pid_t pid : pids) {
    const auto access = access_to(root, pid, file);
    if (access == Access::Yes) ++readable;
    if (access == Access::Denied) ++denied;
  }
  if (readable == 0) return pids.empty();
  if (denied == 0) {
    findings.good(what, "readable");
  } else {
    findings.limited(what, fmt::format("{} of {} readable", readable, readable + denied),
                     more_rights_for(root));
  }
  return true;
}

Refusal refusal_in(const Root& root) {
  const auto scope = root.read("sys/kernel/yama/ptrace_scope");
  if (!scope) return {.why = {}, .advice = more_rights_for(root)};
  const auto value = trimmed(*scope);
  return {.why = fmt::format("kernel.yama.ptrace_scope is {}", value),
          .advice = value == "3"
                        ? "ptrace_scope 3 lasts until the next boot; use tidegauge run"
                        : more_rights_for(root) + ", or: sudo sysctl kernel.yama.ptrace_scope=0"};
}

void add_reading(Findings& findings, const Root& root) {
  const auto others = find_others(root);
  const auto more_rights = more_rights_for(root);
  if (!add_opening(findings, root, others.other_users, "smaps_rollup",
                   "PSS of other users' processes")) {
    findings.limited("PSS of other users' processes", "not readable", more_rights);
  }
  if (!add_opening(findings, root, others.same_user, "smaps_rollup", "PSS of your processes")) {
    findings.limited("PSS of your processes", "not readable", more_rights);
  }
  if (add_opening(findings, root, others.same_user, "mem", "memory of your processes")) return;
  const auto refusal = refusal_in(root);
  const auto why = refusal.why.empty() ? "" : fmt::format(" ({})", refusal.why);
  findings.limited("memory of your processes",
                   "readable only in jobs that tidegauge run has started" + why, refusal.advice);
}

// A reader of page tables that is not given the processor holds the watched process's locks: at
// nice 19 on a busy core a walk over 4 GB stopped it for 2 s.
void add_priority(Findings& findings) {
  const int nice = ::getpriority(PRIO_PROCESS, 0);
  const int policy = ::sched_getscheduler(0);
  if (policy == SCHED_IDLE || policy == SCHED_BATCH || nice > 0) {
    findings.limited("priority", policy == SCHED_IDLE ? "idle" : fmt::format("nice {}", nice),
                     "start tidegauge without nice: a slow reader stops the process that it reads");
  } else {
    findings.good("priority", "normal");
  }
}

void add_files(Findings& findings) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) return;
  const auto processes = limit.rlim_max / kFilesPerProcess;
  if (processes >= kFewProcesses) return;
  findings.limited("open files",
                   fmt::format("at most {}: enough for {} processes", limit.rlim_max, processes),
                   "ulimit -n 4096");
}

}  // namespace

Refusal refusal_of_memory(const Roots& roots) {
  const auto root = Root::open(roots.proc);
  return root ? refusal_in(*root) : Refusal{};
}

std::vector<Finding> examine_rights(const CollectOptions& options) {
  Findings findings("rights");
  const auto root = Root::open(options.roots.proc);
  if (!root) {
    findings.missing("/proc", root.error().what, "mount -t proc proc /proc");
    return findings.take();
  }
  const bool traces = (own_capabilities(*root) & kCapSysPtrace) != 0;
  findings.good("user", user_name(::geteuid()) + (traces ? ", may read all processes" : ""));
  add_container(findings, *root);
  add_visibility(findings, *root);
  add_reading(findings, *root);
  add_priority(findings);
  add_files(findings);
  return findings.take();
}

}  // namespace tidegauge::proc
