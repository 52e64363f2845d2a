// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "proc/cgroup.h"
#include "proc/findings.h"
#include "proc/kilobytes.h"
#include "proc/machine.h"
#include "proc/probe.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

constexpr double kNearlyFull = 0.9;
// Docker gives 64 MiB, which a few batches of images fill.
constexpr std::uint64_t kSmallShm = 1ull << 30;

std::string bytes(std::uint64_t amount) {
  return format_bytes(static_cast<double>(amount));
}

// Page cache goes when it must.
std::uint64_t held(const record::Cgroup& group) {
  const auto current = group.current.value_or(0);
  return current - std::min(current, group.file.value_or(0));
}

// Of the groups with a limit, the one that has the least left.
const record::Cgroup* tightest(const std::vector<record::Cgroup>& groups) {
  const auto left = [](const record::Cgroup& group) {
    const auto limit = std::min(group.limit.value_or(~0ull), group.high.value_or(~0ull));
    return limit - std::min(limit, held(group));
  };
  const record::Cgroup* found = nullptr;
  for (const auto& group : groups) {
    if (!group.limit && !group.high) continue;
    if (!found || left(group) < left(*found)) found = &group;
  }
  return found;
}

void add_machine(Findings& findings, const record::Machine& machine) {
  if (!machine.total) return;
  findings.good("memory", fmt::format("{}, {} available", bytes(*machine.total),
                                      bytes(machine.available.value_or(0))));
  if (machine.swap_total.value_or(0) == 0) {
    findings.good("swap", "none: what is not used stays in memory");
  } else {
    findings.good("swap", fmt::format("{}, {} free", bytes(*machine.swap_total),
                                      bytes(machine.swap_free.value_or(0))));
  }
}

void add_dev_shm(Findings& findings, const record::Machine& machine) {
  if (!machine.dev_shm_total) {
    findings.limited("shared memory (/dev/shm)", "no tmpfs with a size",
                     "mount -t tmpfs tmpfs /dev/shm");
    return;
  }
  const auto found =
      fmt::format("{}, {} used", bytes(*machine.dev_shm_total), bytes(*machine.dev_shm_used));
  if (*machine.dev_shm_total < kSmallShm) {
    findings.limited("shared memory (/dev/shm)",
                     found + ": DataLoader workers pass batches through it",
                     "docker run --shm-size=8g, or a memory emptyDir at /dev/shm in a pod");
  } else {
    findings.good("shared memory (/dev/shm)", found);
  }
}

void add_overcommit(Findings& findings, const Root& root) {
  const auto mode = root.read("sys/vm/overcommit_memory");
  if (!mode) return;
  if (trimmed(*mode) != "2") {
    findings.good("overcommit", trimmed(*mode) == "1" ? "always" : "heuristic");
    return;
  }
  const auto meminfo = root.read("meminfo");
  const auto limit = meminfo ? kilobytes(field_of(*meminfo, "CommitLimit:")) : record::Bytes{};
  const auto used = meminfo ? kilobytes(field_of(*meminfo, "Committed_AS:")) : record::Bytes{};
  findings.limited("overcommit",
                   fmt::format("never: allocations fail when {} are promised, {} are now",
                               bytes(limit.value_or(0)), bytes(used.value_or(0))),
                   "sysctl vm.overcommit_memory=0, if jobs fail to allocate with memory to spare");
}

void add_huge_pages(Findings& findings, const Roots& roots) {
  const auto root = Root::open(roots.sys);
  const auto text = root ? root->read("kernel/mm/transparent_hugepage/enabled")
                         : Result<std::string>(root.error());
  if (!text) return;
  const auto open = text->find('[');
  const auto close = text->find(']');
  if (open == text->npos || close == text->npos || close < open) return;
  const auto mode = text->substr(open + 1, close - open - 1);
  if (mode == "always") {
    findings.good("transparent huge pages",
                  "always: resident memory can grow by whole 2 MiB pages without an allocation");
  } else {
    findings.good("transparent huge pages", mode);
  }
}

// A job is frozen, and lent memory, through a group of its own.
void add_own_groups(Findings& findings, const CollectOptions& options) {
  const auto reader = CgroupReader::open(options.roots, ::getpid());
  if (!reader || reader->is_ours_to_change()) return;
  struct stat info {};
  const bool systemd = ::stat("/run/systemd/system", &info) == 0;
  findings.limited("groups of our own", "cannot be made: a job cannot be frozen or lent memory",
                   systemd ? "systemd-run --user --scope -p Delegate=yes tidegauge run ..." : "");
}

}  // namespace

void add_limit(Findings& findings, pid_t pid, const CollectOptions& options) {
  auto reader = CgroupReader::open(options.roots, pid);
  if (!reader) {
    findings.limited("memory cgroup", reader.error().what,
                     "in a container: mount /sys/fs/cgroup read-only into it");
    return;
  }
  const auto groups = reader->read();
  if (groups.empty()) {
    findings.good("memory cgroup", "none: the machine's memory is the limit");
    return;
  }
  findings.good("memory cgroup",
                fmt::format("version {}, {}: holds {}, and {} of page cache", groups[0].version,
                            printable(groups[0].path), bytes(held(groups[0])),
                            bytes(groups[0].file.value_or(0))));
  if (const auto* group = tightest(groups)) {
    const auto limit = std::min(group->limit.value_or(~0ull), group->high.value_or(~0ull));
    const auto found = fmt::format("{} {}, of which {} are held in {}", bytes(limit),
                                   group->limit == limit ? "limit" : "throttle (memory.high)",
                                   bytes(held(*group)), printable(group->path));
    if (static_cast<double>(held(*group)) > kNearlyFull * static_cast<double>(limit)) {
      findings.limited("limit that binds", found, "raise it, or look at what holds the memory");
    } else {
      findings.good("limit that binds", found);
    }
  } else {
    findings.good("limit that binds", "no cgroup's: the machine's memory");
  }
}

std::vector<Finding> examine_memory(const CollectOptions& options) {
  Findings findings("memory");
  auto reader = MachineReader::open(options.roots);
  if (!reader) {
    findings.missing("memory", reader.error().what);
    return findings.take();
  }
  const auto machine = reader->read();
  add_machine(findings, machine);
  add_limit(findings, ::getpid(), options);
  add_own_groups(findings, options);
  add_dev_shm(findings, machine);
  if (const auto root = Root::open(options.roots.proc)) add_overcommit(findings, *root);
  add_huge_pages(findings, options.roots);
  return findings.take();
}

}  // namespace tidegauge::proc
