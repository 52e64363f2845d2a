// SPDX-License-Identifier: Apache-2.0
#include "proc/tree.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "proc/status.h"

namespace tidegauge::proc {

namespace {

// How often everything is looked at although the numbers say that nothing is new: they are
// believed, but not for ever, and a machine of thousands of processes must not pay for it.
constexpr double kAllEverySeconds = 60;
constexpr double kAllShareOfACore = 0.0001;

constexpr pid_t kInit = 1;

// Threads have numbers too, and files under them that look like a process's.
bool is_process(const Root& root, pid_t pid) {
  const auto text = root.read(pid, "status");
  if (!text) return false;
  const auto status = parse_status(*text);
  return status && status->thread_group == pid;
}

bool adopts_orphans() {
  int answer = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &answer) == 0 && answer != 0;
}

}  // namespace

Tree::Tree(const Root& root) : newcomers_(root) {
  if (!newcomers_.pids_are_ours()) return;
  if (const auto we = read_stat(root, ::getpid())) our_image_ = we->image;
}

Result<Joined> Tree::add_root(const Root& root, pid_t pid) {
  auto stat = read_stat(root, pid);
  if (!stat && stat.error().reason == Reason::Gone) {
    return Error{Reason::Gone, fmt::format("no process {}", pid)};
  }
  if (!stat) return stat.error();
  if (has_ended(*stat)) {
    return Error{Reason::Gone,
                 fmt::format("process {} has ended; its parent has not asked how yet", pid)};
  }
  if (stat->of_the_kernel) {
    return Error{
        Reason::Unsupported,
        fmt::format("process {} has no memory of its own: it is a part of the kernel", pid)};
  }
  all_wanted_ = true;
  if (!our_job_ && stat->parent == ::getpid()) our_job_ = stat->id;
  return join(root, std::move(*stat));
}

std::vector<Joined> Tree::grow(const Root& root, std::int64_t now_ns) {
  auto pids = candidates(root, now_ns);
  std::erase_if(pids, [&](pid_t pid) {
    return std::binary_search(known_strangers_.begin(), known_strangers_.end(), pid);
  });
  for (const auto pid : std::exchange(vacated_, {})) pids.push_back(pid);
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  auto strangers = strangers_among(root, pids);
  std::vector<Joined> joined;
  // In order of birth a parent comes before its child, but for those born in the same tick of the
  // clock: so again, until nobody is added.
  for (bool more = true; more;) {
    more = false;
    for (auto& stat : strangers) {
      if (stat.id.pid == 0 || !belongs(stat)) continue;
      const bool process = is_process(root, stat.id.pid);
      if (process) joined.push_back(join(root, stat));
      more = more || process;
      stat.id.pid = 0;  // dealt with
    }
  }
  known_strangers_.clear();
  for (const auto& stat : strangers) {
    if (stat.id.pid != 0) known_strangers_.push_back(stat.id.pid);
  }
  std::sort(known_strangers_.begin(), known_strangers_.end());
  return joined;
}

std::vector<Joined> Tree::grow_to(const Root& root, std::span<const pid_t> pids) {
  vacated_.clear();  // `pids` has them if they are back
  std::vector<Joined> joined;
  for (auto& stat : strangers_among(root, pids)) joined.push_back(join(root, std::move(stat)));
  return joined;
}

std::vector<pid_t> Tree::candidates(const Root& root, std::int64_t now_ns) {
  if (!std::exchange(all_wanted_, false) && now_ns < all_due_ns_) return newcomers_.look(root);
  known_strangers_.clear();
  const CpuClock clock;
  auto pids = newcomers_.look_at_all(root);
  // Reading them costs some 30 times more than listing them.
  const double seconds = std::max(kAllEverySeconds, 30 * clock.seconds() / kAllShareOfACore);
  all_due_ns_ = now_ns + static_cast<std::int64_t>(seconds * 1e9);
  return pids;
}

// The living that are no members yet, in order of birth.
std::vector<Stat> Tree::strangers_among(const Root& root, std::span<const pid_t> pids) {
  std::vector<Stat> strangers;
  std::uint64_t youngest = 0;
  for (const auto pid : pids) {
    if (const auto member = members_.find(pid); member != members_.end()) {
      youngest = std::max(youngest, member->second.start_ticks);
      continue;
    }
    auto stat = read_stat(root, pid);
    if (!stat || has_ended(*stat) || is_census_copy(*stat) || stat->id.pid != pid) continue;
    youngest = std::max(youngest, stat->id.start_ticks);
    if (works_for_us(*stat)) continue;
    strangers.push_back(std::move(*stat));
  }
  if (began_ticks_ == 0) begin(youngest, strangers);
  std::sort(strangers.begin(), strangers.end(), [](const Stat& a, const Stat& b) {
    return std::pair(a.id.start_ticks, a.id.pid) < std::pair(b.id.start_ticks, b.id.pid);
  });
  return strangers;
}

void Tree::begin(std::uint64_t youngest, std::span<const Stat> strangers) {
  began_ticks_ = youngest;
  for (const auto& stat : strangers) {
    if (stat.id.start_ticks == youngest) born_then_.push_back(stat.id.pid);
  }
}

// We, or a copy of us: they all run our image, and whatever a job executes has another.
bool Tree::works_for_us(const Stat& stat) const {
  return our_image_.known() && stat.image == our_image_ && !members_.contains(::getpid());
}

// Born before the first look, as far as its start time can tell: a tick of the clock is 10 ms, and
// others may be born in the same one after we have looked.
bool Tree::is_older_than_us(const Stat& stat) const {
  if (stat.id.start_ticks != began_ticks_) return stat.id.start_ticks < began_ticks_;
  return std::find(born_then_.begin(), born_then_.end(), stat.id.pid) != born_then_.end();
}

// Born before the job, which may have had orphans before anybody looked. Within a tick of the clock
// pids tell, which are given out in order.
bool Tree::is_older_than_our_job(const Stat& stat) const {
  if (!our_job_) return is_older_than_us(stat);
  return std::pair(stat.id.start_ticks, stat.id.pid) <=
         std::pair(our_job_->start_ticks, our_job_->pid);
}

bool Tree::belongs(const Stat& stat) const {
  const auto parent = members_.find(stat.parent);
  if (parent != members_.end() && parent->second.start_ticks <= stat.id.start_ticks) return true;
  return is_orphan_of_ours(stat);
}

// A process whose parent was born and ended between two looks: nobody knows any more who that was.
// Where orphans come to us (we are the one who started the job) it came to us, and whoever went to
// init is another's, though it may be of the same group, as all that a script starts is. Otherwise
// its process group tells.
bool Tree::is_orphan_of_ours(const Stat& stat) const {
  if (began_ticks_ == 0) return false;
  if (adopts_orphans()) return stat.parent == ::getpid() && !is_older_than_our_job(stat);
  return stat.parent == kInit && groups_.contains(stat.group) && !is_older_than_us(stat);
}

Joined Tree::join(const Root& root, Stat stat) {
  const auto parent = parent_of(root, stat);
  if (members_.try_emplace(stat.id.pid, Node{stat.id.start_ticks, stat.group}).second) {
    ++groups_[stat.group];
  }
  return {std::move(stat), parent};
}

record::ProcessId Tree::parent_of(const Root& root, const Stat& stat) const {
  const auto member = members_.find(stat.parent);
  if (member != members_.end()) return {stat.parent, member->second.start_ticks};
  if (stat.parent == 0 || is_orphan_of_ours(stat)) return {};
  const auto parent = read_stat(root, stat.parent);
  return parent ? parent->id : record::ProcessId{};
}

void Tree::leave(const record::ProcessId& id) {
  const auto member = members_.find(id.pid);
  if (member == members_.end() || member->second.start_ticks != id.start_ticks) return;
  const auto group = groups_.find(member->second.group);
  if (--group->second == 0) groups_.erase(group);
  members_.erase(member);
  vacated_.push_back(id.pid);
}

void Tree::note(const Stat& stat) {
  const auto member = members_.find(stat.id.pid);
  if (member == members_.end() || member->second.group == stat.group) return;
  const auto before = groups_.find(member->second.group);
  if (--before->second == 0) groups_.erase(before);
  member->second.group = stat.group;
  ++groups_[stat.group];
}

bool Tree::contains(const record::ProcessId& id) const {
  const auto member = members_.find(id.pid);
  return member != members_.end() && member->second.start_ticks == id.start_ticks;
}

}  // namespace tidegauge::proc
