// SPDX-License-Identifier: Apache-2.0
#include "guard/step_down.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <vector>

#include "guard/group_files.h"
#include "proc/cgroup_files.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

constexpr int kDeepest = 8;        // of what we start: the guard's twin is a grandchild
constexpr int kRemoveTries = 200;  // of a millisecond

bool descends_from_us(const proc::Root& root, pid_t pid) {
  for (int depth = 0; depth < kDeepest && pid > 1; ++depth) {
    if (pid == ::getpid()) return true;
    const auto stat = proc::read_stat(root, pid);
    if (!stat) return false;
    pid = stat->parent;
  }
  return false;
}

std::vector<pid_t> pids_in(const std::string& folder) {
  const auto list = open_in(folder, "cgroup.procs", O_RDONLY);
  std::string text;
  if (!list || !proc::read_again(list.get(), text, "cgroup.procs")) return {};
  return proc::parse_pids(text);
}

// Whoever ends meanwhile need not be moved.
void move_ours(const proc::Root& root, const std::string& from, const std::string& to) {
  const auto door = open_in(to, "cgroup.procs", O_WRONLY);
  for (const auto pid : pids_in(from)) {
    if (door && descends_from_us(root, pid)) (void)write_group(door, pid);
  }
}

// One that is ending is in its group until it has ended: a guard's twin, whose parent has gone.
void remove_when_empty(const std::string& folder) {
  for (int tries = 0; tries < kRemoveTries; ++tries) {
    if (::rmdir(folder.c_str()) == 0 || errno != EBUSY) return;
    const timespec moment{0, 1'000'000};
    ::nanosleep(&moment, nullptr);
  }
}

}  // namespace

std::optional<StepDown> StepDown::take(const std::string& proc, const std::string& parent,
                                       const std::string& name, std::string_view controller) {
  const auto root = proc::Root::open(proc);
  const auto pids = pids_in(parent);
  const auto ours = [&](pid_t pid) { return descends_from_us(*root, pid); };
  if (!root || pids.empty() || !std::all_of(pids.begin(), pids.end(), ours)) return {};
  StepDown step;
  step.proc_ = proc;
  step.parent_ = parent;
  step.below_ = parent + "/" + name;
  step.controller_ = controller;
  // It has our name: where it is there already, somebody of ours took long to end.
  if (::mkdir(step.below_.c_str(), 0755) != 0 && errno != EEXIST) return {};
  move_ours(*root, parent, step.below_);
  const auto control = open_in(parent, "cgroup.subtree_control", O_WRONLY);
  if (control && write_group(control, "+" + step.controller_)) return step;
  step.back();
  return {};
}

void StepDown::back() const {
  if (const auto control = open_in(parent_, "cgroup.subtree_control", O_WRONLY)) {
    (void)write_group(control, "-" + controller_);
  }
  if (const auto root = proc::Root::open(proc_)) move_ours(*root, below_, parent_);
  remove_when_empty(below_);
}

}  // namespace tidegauge::guard
