// SPDX-License-Identifier: Apache-2.0
#include "proc/watchlist.h"

#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "proc/cgroup.h"
#include "proc/cmdline.h"
#include "proc/role.h"
#include "secrets/mask.h"

namespace tidegauge::proc {

namespace {

// How much bigger the biggest process has to be than the one that was biggest before, or than it
// was itself, before roles are looked at again: two workers of a size would make them flicker.
constexpr double kClearlyBigger = 1.2;
// For counts that are taken rarely, in one look; the first one takes them of some hundred.
constexpr double kRareSeconds = 500e-6;
constexpr double kFirstRareSeconds = 20e-3;
// For finding out who uses a GPU: of a usual tree all at once.
constexpr double kGpuSeconds = 2e-3;

// As a shell says it.
std::optional<double> exit_status(const Stat& stat, bool ours_to_know) {
  if (!stat.wait_status || (*stat.wait_status == 0 && !ours_to_know)) return {};
  const int status = *stat.wait_status;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::uint64_t anon_of(const Watched& watched) {
  return watched.reader.last().memory.anon.value_or(0);
}

}  // namespace

Watchlist::Watchlist(Root root, std::size_t most_kept_files)
    : files_(std::move(root), most_kept_files), tree_(files_.root()) {
  files_.trust_pids(tree_.pids_are_ours());
}

Result<> Watchlist::add_root(pid_t pid) {
  auto joined = tree_.add_root(files_.root(), pid);
  if (!joined) return joined.error();
  const auto same = [id = joined->stat.id](const Watched& watched) {
    return watched.process.id == id;
  };
  if (std::none_of(members_.begin(), members_.end(), same)) watch(std::move(*joined));
  std::find_if(members_.begin(), members_.end(), same)->asked_for = true;
  return Ok{};
}

Result<> Watchlist::follow_cgroup(const Roots& roots, const std::string& path) {
  const auto pids = cgroup_members(roots, path);
  if (!pids) return pids.error();
  cgroup_ = FollowedCgroup{roots, path};
  for (auto& joined : tree_.grow_to(files_.root(), *pids)) watch(std::move(joined));
  return Ok{};
}

void Watchlist::watch(Joined joined) {
  Watched watched{.reader = ProcessReader(joined.stat.id)};
  watched.process.id = joined.stat.id;
  watched.process.parent = joined.parent;
  watched.process.name = std::move(joined.stat.name);
  watched.image = joined.stat.image;
  if (!may_hold_its_lock(joined.stat.state)) read_command(watched);
  changed_families_.push_back(watched.image);
  members_.push_back(std::move(watched));
}

void Watchlist::read_command(Watched& watched) {
  const auto text = files_.read(watched.process.id.pid, "cmdline");
  if (!text) return;
  watched.arguments = parse_cmdline(*text);
  auto command = secrets::masked_command(watched.arguments);
  if (command == watched.process.command) return;
  watched.process.command = std::move(command);
  watched.to_be_told = true;
}

Changes Watchlist::look(std::int64_t now_ns, double interval_seconds) {
  gone_.clear();
  find_new(now_ns);
  for (auto& watched : members_) look_at(watched, now_ns, interval_seconds);
  std::sort(gone_.begin(), gone_.end());
  const auto is_gone = [&](const Watched& watched) {
    return std::binary_search(gone_.begin(), gone_.end(), watched.process.id.pid);
  };
  if (!gone_.empty()) std::erase_if(members_, is_gone);
  tell_families();
  tell(now_ns);
  return std::exchange(changes_, {});
}

void Watchlist::find_new(std::int64_t now_ns) {
  std::vector<Joined> joined;
  if (!cgroup_) {
    joined = tree_.grow(files_.root(), now_ns);
  } else if (const auto pids = cgroup_members(cgroup_->roots, cgroup_->path)) {
    joined = tree_.grow_to(files_.root(), *pids);
  }
  for (auto& one : joined) watch(std::move(one));
}

void Watchlist::look_at(Watched& watched, std::int64_t now_ns, double interval_seconds) {
  const auto stat = watched.reader.look(files_, now_ns, interval_seconds);
  if (!stat) {
    // Anything but Gone passes: what was read last stands.
    if (stat.error().reason == Reason::Gone) leave(watched, {}, now_ns);
  } else if (*stat && has_ended(**stat)) {
    leave(watched, exit_status(**stat, watched.image.known()), now_ns);
  } else if (watched.is_new && !watched.asked_for && !watched.reader.last().memory.rss) {
    leave(watched, {}, now_ns);  // has given back its memory: will have ended in a moment
  } else {
    if (*stat) take_note(watched, **stat, now_ns);
    if (watched.arguments.empty()) read_missing_command(watched);
  }
}

// Who is met in the middle of an exec, or while it waits for a disk, has no command line to be
// read yet; without one its role cannot be known. A kernel thread, which has no memory of its own,
// never gets one.
void Watchlist::read_missing_command(Watched& watched) {
  if (watched.reader.size_bytes() == 0 || may_hold_its_lock(files_.root(), watched)) return;
  read_command(watched);
}

void Watchlist::take_note(Watched& watched, const Stat& stat, std::int64_t now_ns) {
  tree_.note(stat);
  const bool image_changed = stat.image.known() && stat.image != watched.image;
  const bool name_changed = stat.name != watched.process.name;
  if (!image_changed && !name_changed) return;
  const auto before = std::move(watched.arguments);
  watched.process.name = stat.name;
  watched.to_be_told = true;
  read_command(watched);
  // Where the image is not ours to know, a new name with new arguments is as good a sign.
  const bool other_program =
      image_changed ? watched.image.known() : !stat.image.known() && watched.arguments != before;
  changed_families_.push_back(watched.image);
  if (stat.image.known()) watched.image = stat.image;
  if (!other_program) return;
  watched.rare.start_over();
  watched.deep = {};
  watched.gpu = {};
  watched.process.role = record::Role::Other;  // until roles are named again
  if (watched.is_new) return;                  // it will be told as what it is now
  changes_.events.push_back({.at_ns = now_ns, .kind = record::EventKind::Exec, .process = stat.id});
}

void Watchlist::told_end(pid_t pid, int status) {
  const auto member = std::find_if(members_.begin(), members_.end(), [&](const Watched& watched) {
    return watched.process.id.pid == pid;
  });
  if (member != members_.end()) told_ends_[member->process.id] = status;
}

void Watchlist::leave(Watched& watched, std::optional<double> status, std::int64_t now_ns) {
  const auto& id = watched.process.id;
  tree_.leave(id);
  gone_.push_back(id.pid);
  changed_families_.push_back(watched.image);
  changes_.membership = true;
  if (const auto told = told_ends_.find(id); told != told_ends_.end()) {
    status = told->second;
    told_ends_.erase(told);
  }
  if (watched.is_new) return;  // came and went, and nobody was told
  changes_.events.push_back(
      {.at_ns = now_ns, .kind = record::EventKind::Exited, .process = id, .value = status});
}

// Pages of one family are shared among others than before.
void Watchlist::tell_families() {
  const auto order = [](const Image& a, const Image& b) {
    return std::pair(a.stack_start, a.code_start) < std::pair(b.stack_start, b.code_start);
  };
  std::sort(changed_families_.begin(), changed_families_.end(), order);
  for (auto& watched : members_) {
    if (!watched.image.known()) continue;
    if (!std::binary_search(changed_families_.begin(), changed_families_.end(), watched.image,
                            order)) {
      continue;
    }
    watched.deep.family_changed = true;
  }
  changed_families_.clear();
}

void Watchlist::tell(std::int64_t now_ns) {
  const auto changed = [](const Watched& watched) { return watched.to_be_told; };
  if (changes_.membership || sizes_have_changed() ||
      std::any_of(members_.begin(), members_.end(), changed)) {
    name_all_roles();
  }
  for (auto& watched : members_) {
    if (std::exchange(watched.is_new, false)) {
      changes_.membership = true;
      changes_.events.push_back(
          {.at_ns = now_ns, .kind = record::EventKind::Started, .process = watched.process.id});
    }
    if (!std::exchange(watched.to_be_told, false)) continue;
    watched.process.at_ns = now_ns;
    changes_.processes.push_back(watched.process);
  }
}

bool Watchlist::sizes_have_changed() const {
  std::uint64_t biggest = 0, biggest_then = 0;
  for (const auto& watched : members_) {
    biggest = std::max(biggest, anon_of(watched));
    if (watched.process.id == biggest_) biggest_then = anon_of(watched);
  }
  return static_cast<double>(biggest) > kClearlyBigger * static_cast<double>(biggest_then) ||
         static_cast<double>(biggest) > kClearlyBigger * static_cast<double>(biggest_when_named_);
}

void Watchlist::name_all_roles() {
  std::vector<Member> members;
  std::uint64_t biggest = 0;
  for (const auto& watched : members_) {
    const auto& process = watched.process;
    members.push_back({process.id, process.parent, process.name, watched.arguments,
                       watched.reader.last().memory.anon, process.role == record::Role::Wrapper});
    if (anon_of(watched) >= biggest) biggest_ = process.id;
    biggest = std::max(biggest, anon_of(watched));
  }
  biggest_when_named_ = biggest;
  const auto roles = name_roles(members);
  for (std::size_t i = 0; i < roles.size(); ++i) {
    auto& watched = members_[i];
    watched.to_be_told = watched.to_be_told || watched.process.role != roles[i];
    watched.process.role = roles[i];
  }
}

void Watchlist::look_rarely(std::int64_t now_ns, Warnings& warnings) {
  std::optional<CpuClock> clock;  // reading it is a system call, and there is rarely somebody due
  const double most = std::exchange(first_rare_look_, false) ? kFirstRareSeconds : kRareSeconds;
  for (std::size_t tried = 0; tried < members_.size(); ++tried) {
    if (next_rare_ >= members_.size()) next_rare_ = 0;
    auto& watched = members_[next_rare_];
    const bool due = watched.rare.is_due(now_ns, watched.reader.size_bytes());
    if (due && clock && clock->seconds() > most) return;
    ++next_rare_;
    if (!due) continue;
    if (!clock) clock.emplace();
    const auto done = count_rarely(watched, now_ns);
    if (done || done.error().reason != Reason::Denied) continue;
    warnings.once(Warnings::About::OthersProcess, not_ours_to_read(watched.process));
  }
}

Result<> Watchlist::count_rarely(Watched& watched, std::int64_t now_ns) {
  const auto pid = watched.process.id.pid;
  Result<> fds = Ok{};
  if (watched.rare.fds_due(now_ns)) fds = watched.rare.count_fds(files_, pid, now_ns);
  if (may_hold_its_lock(files_.root(), watched)) return fds;
  read_command(watched);  // a program may write over its own (setproctitle)
  const auto size = watched.reader.size_bytes();
  if (!watched.rare.vmas_due(now_ns, size)) return fds;
  const auto vmas = watched.rare.count_vmas(files_, pid, watched.reader.folder(), size, now_ns);
  return fds ? vmas : fds;
}

bool Watchlist::finds_gpu_use(std::int64_t now_ns) {
  std::optional<CpuClock> clock;  // reading it is a system call, and there is rarely somebody due
  for (std::size_t tried = 0; tried < members_.size(); ++tried) {
    if (next_gpu_ >= members_.size()) next_gpu_ = 0;
    auto& watched = members_[next_gpu_];
    const auto size = watched.reader.size_bytes();
    const bool due = watched.gpu.is_due(now_ns, size);
    if (due && clock && clock->seconds() > kGpuSeconds) return false;
    ++next_gpu_;
    if (!due) continue;
    if (!clock) clock.emplace();
    if (watched.gpu.look(files_.root(), watched.process.id.pid, watched.reader.folder(), size,
                         now_ns)) {
      return true;
    }
  }
  return false;
}

std::vector<pid_t> Watchlist::pids() const {
  std::vector<pid_t> pids;
  for (const auto& watched : members_) pids.push_back(watched.process.id.pid);
  std::sort(pids.begin(), pids.end());
  return pids;
}

}  // namespace tidegauge::proc
