// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "proc/findings.h"
#include "proc/meminfo.h"
#include "proc/probe.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

void add_release(Findings& findings) {
  utsname name{};
  if (::uname(&name) != 0) return;
  findings.good("kernel", fmt::format("{} {}, {}", name.sysname, name.release, name.machine));
}

void add_deep_scans(Findings& findings, const Root& root) {
  if (access_to(root, ::getpid(), "smaps_rollup") == Access::Yes) {
    findings.good("PSS in one reading", "smaps_rollup");
  } else {
    findings.missing("PSS in one reading", "no smaps_rollup", "Linux 4.14 or later");
  }
  if (has_pagemap_scan(root)) {
    findings.good("page-table scan", "PAGEMAP_SCAN");
  } else if (root.open_file("self/pagemap")) {
    findings.limited(
        "page-table scan",
        "by reading pagemap, at three times the cost; PAGEMAP_SCAN came with Linux 6.7");
  } else {
    findings.missing("page-table scan", "no pagemap");
  }
  if (has_procmap_query(root)) {
    findings.good("lookup of one mapping", "PROCMAP_QUERY");
  } else {
    findings.limited("lookup of one mapping",
                     "by reading all of maps; PROCMAP_QUERY came with Linux 6.11");
  }
}

void add_children(Findings& findings, const Root& root) {
  const auto self = std::to_string(::getpid());
  if (root.open_file(self + "/task/" + self + "/children")) {
    findings.good("children of a process", "told by the kernel");
  } else {
    findings.limited("children of a process",
                     "by looking at all processes: this kernel is built without PROC_CHILDREN");
  }
}

void add_pressure(Findings& findings, const Root& root) {
  const auto text = root.read("pressure/memory");
  const auto pressure = text ? parse_pressure(*text) : Result<Pressure>(text.error());
  if (pressure) {
    findings.good("memory pressure",
                  fmt::format("told by the kernel, {:.1f} % now", pressure->some.value_or(0)));
  } else if (!text && text.error().reason == Reason::Gone) {
    findings.limited("memory pressure", "not told: no pressure/memory in /proc",
                     "a kernel built with PSI, since 4.20");
  } else {
    findings.limited("memory pressure", "not told", "boot with psi=1");
  }
}

// Links in map_files name the very file that is mapped, even if another took its place on disk.
void add_mapped_files(Findings& findings, const Root& root) {
  const auto pid = ::getpid();
  const auto names = root.list(pid, "map_files");
  const bool can = names && !names->empty() && root.open_file(pid, "map_files/" + names->front());
  if (can) {
    findings.good("replaced files", "readable after an update, too");
  } else {
    findings.limited(
        "replaced files",
        "not readable: names in libraries that were updated while in use will be missing",
        "run as root");
  }
}

}  // namespace

std::vector<Finding> examine_kernel(const CollectOptions& options) {
  Findings findings("kernel");
  add_release(findings);
  const auto root = Root::open(options.roots.proc);
  if (!root) return findings.take();
  add_deep_scans(findings, *root);
  add_children(findings, *root);
  add_pressure(findings, *root);
  add_mapped_files(findings, *root);
  return findings.take();
}

}  // namespace tidegauge::proc
