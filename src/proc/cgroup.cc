// SPDX-License-Identifier: Apache-2.0
#include "proc/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "proc/cgroup_files.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// No real hierarchy is this deep; a folder that a test or an attacker made may be.
constexpr int kDeepest = 64;
// A folder's link count is 2 plus its sub-folders.
constexpr nlink_t kLinksWithoutChildren = 2;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

UniqueFd open_at(int folder, const char* name) {
  return UniqueFd(::openat(folder, name, O_RDONLY | O_CLOEXEC));
}

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Result<std::vector<pid_t>> pids_in(int folder) {
  const auto procs = open_at(folder, "cgroup.procs");
  if (!procs) return from_errno(errno, "cgroup.procs");
  std::string text;
  if (const auto done = read_again(procs.get(), text, "cgroup.procs"); !done) return done.error();
  return parse_pids(text);
}

std::vector<UniqueFd> folders_in(int folder) {
  std::vector<UniqueFd> found;
  struct stat info {};
  if (::fstat(folder, &info) == 0 && info.st_nlink == kLinksWithoutChildren) return found;
  UniqueFd again = open_at(folder, ".");  // reading moves a position that others may share
  if (!again) return found;
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(again.get()));
  if (!dir) return found;
  again.release();
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)) {
      continue;
    }
    UniqueFd child(
        ::openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (child) found.push_back(std::move(child));
  }
  return found;
}

// Calls take(pids) for the group in `folder` and for each below it, until it says false. A threaded
// group's processes are listed in the group above it, so what cannot be read there is no loss.
template <class Take>
bool for_each_group(int folder, int depth, Take& take) {
  const auto pids = pids_in(folder);
  if (pids && !take(*pids)) return false;
  if (depth >= kDeepest) return true;
  for (const auto& child : folders_in(folder)) {
    if (!for_each_group(child.get(), depth + 1, take)) return false;
  }
  return true;
}

std::vector<Mount> mounts_seen(const Root& root, pid_t of) {
  // What we can open is what we see, wherever the process is.
  auto text = root.read("self/mountinfo");
  if (!text && of > 0) text = root.read(of, "mountinfo");
  return text ? parse_mountinfo(*text) : std::vector<Mount>{};
}

bool has_memory_files(int folder, int version) {
  return static_cast<bool>(
      open_at(folder, version == 1 ? "memory.usage_in_bytes" : "memory.current"));
}

// Version 1 once let a group be charged for itself alone; then its limit binds nobody below it.
bool charges_children(int folder, int version) {
  if (version != 1) return true;
  const auto fd = open_at(folder, "memory.use_hierarchy");
  std::string text;
  return !fd || !read_again(fd.get(), text, "memory.use_hierarchy") || !text.starts_with('0');
}

bool is_in(pid_t pid, const std::string& folder) {
  const auto fd = open_folder(folder);
  if (!fd) return false;
  const auto pids = pids_in(fd.get());
  return pids && std::find(pids->begin(), pids->end(), pid) != pids->end();
}

// Threaded groups do not list processes.
bool lists_others_only(pid_t pid, const std::string& folder) {
  const auto fd = open_folder(folder);
  const auto pids = pids_in(fd.get());
  return pids && std::find(pids->begin(), pids->end(), pid) == pids->end();
}

}  // namespace

CgroupReader::CgroupReader(Roots roots, pid_t of, UniqueFd memberships)
    : roots_(std::move(roots)), of_(of), memberships_(std::move(memberships)) {}

CgroupReader::Group CgroupReader::open_group(int version, std::string path, UniqueFd folder) {
  Group group{.version = version, .path = std::move(path), .folder = std::move(folder)};
  const int at = group.folder.get();
  const bool first = version == 1;
  group.limit = open_at(at, first ? "memory.limit_in_bytes" : "memory.max");
  if (!first) group.high = open_at(at, "memory.high");
  group.current = open_at(at, first ? "memory.usage_in_bytes" : "memory.current");
  group.stat = open_at(at, "memory.stat");
  group.events = open_at(at, first ? "memory.oom_control" : "memory.events");
  group.other = open_at(at, first ? "memory.kmem.usage_in_bytes" : "memory.swap.current");
  return group;
}

bool CgroupReader::open_ancestry(int version, const std::string& mount, const std::string& from) {
  groups_.clear();
  for (std::optional<std::string> path = from; path; path = parent_path(*path)) {
    UniqueFd folder = open_folder(*path == "/" ? mount : mount + *path);
    if (!folder || !has_memory_files(folder.get(), version)) continue;
    if (!groups_.empty() && !charges_children(folder.get(), version)) continue;
    groups_.push_back(open_group(version, *path, std::move(folder)));
  }
  return !groups_.empty();
}

Result<> CgroupReader::find_groups() {
  const auto root = Root::open(roots_.proc);
  if (!root) return root.error();
  const auto memberships = parse_memberships(last_seen_);
  const auto places = memory_places(memberships, mounts_seen(*root, of_), roots_.sys);
  for (const auto& place : places) {
    if (place.guessed && !is_in(of_, place.folder())) continue;
    // Version 1 says of one that has ended that it is in the root group. Its own is the last one
    // that it was in, and just now worth a look: it may hold the count of kills.
    if (!groups_.empty() && lists_others_only(of_, place.folder())) return Ok{};
    if (open_ancestry(place.version, place.mount, place.path)) return Ok{};
  }
  groups_.clear();
  if (!places.empty()) return Ok{};  // it is in none now, and may be moved into one
  return Error{Reason::Unsupported, "no memory cgroups can be seen from here"};
}

Result<CgroupReader> CgroupReader::open(const Roots& roots, pid_t of) {
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  auto memberships = root->open_file(of, "cgroup");
  if (!memberships) return memberships.error();
  CgroupReader reader(roots, of, std::move(*memberships));
  if (const auto done = read_again(reader.memberships_.get(), reader.last_seen_, "cgroup"); !done) {
    return done.error();
  }
  if (const auto found = reader.find_groups(); !found) return found.error();
  reader.read();
  return reader;
}

Result<CgroupReader> CgroupReader::open_path(const Roots& roots, const std::string& path) {
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  CgroupReader reader(roots, 0, {});
  for (const auto& place : named_places(path, mounts_seen(*root, 0), roots.sys)) {
    if (!open_folder(place.folder())) continue;
    if (!reader.open_ancestry(place.version, place.mount, place.path)) continue;
    reader.read();
    return reader;
  }
  return Error{Reason::Gone, path + ": no such memory cgroup"};
}

void CgroupReader::follow() {
  const auto now = text_of(memberships_);
  if (now.empty() || now == last_seen_) return;
  last_seen_ = now;
  (void)find_groups();  // none is what read() will tell
}

std::string_view CgroupReader::text_of(const UniqueFd& fd) {
  if (!fd) return {};
  const auto text = read_piece(fd.get(), text_, "cgroup");
  return text ? *text : std::string_view{};
}

void CgroupReader::read_rest(const Group& group, record::Cgroup& into) {
  into.current = parse_amount(text_of(group.current));
  if (group.version == 1) {
    add_stat_v1(into, text_of(group.stat));
    add_oom_control_v1(into, text_of(group.events));
    into.kernel = parse_amount(text_of(group.other));
  } else {
    add_stat_v2(into, text_of(group.stat));
    add_events_v2(into, text_of(group.events));
    into.swap = parse_amount(text_of(group.other));
  }
}

std::vector<record::Cgroup> CgroupReader::read() {
  follow();
  for (auto& group : groups_) {
    group.limit_bytes = parse_limit(text_of(group.limit));
    group.high_bytes = parse_limit(text_of(group.high));
  }
  return read_counts();
}

std::vector<record::Cgroup> CgroupReader::read_counts() {
  std::vector<record::Cgroup> read;
  for (const auto& group : groups_) {
    const bool own = &group == &groups_.front();
    if (!own && !group.limit_bytes && !group.high_bytes) continue;
    record::Cgroup now{.version = group.version,
                       .path = group.path,
                       .limit = group.limit_bytes,
                       .high = group.high_bytes};
    read_rest(group, now);
    if (now.current) read.push_back(std::move(now));  // else it was removed
  }
  return read;
}

bool CgroupReader::holds_only(std::span<const pid_t> members) {
  if (groups_.empty()) return false;
  auto all_members = [&](const std::vector<pid_t>& pids) {
    return std::all_of(pids.begin(), pids.end(), [&](pid_t pid) {
      return std::binary_search(members.begin(), members.end(), pid);
    });
  };
  return for_each_group(groups_.front().folder.get(), 0, all_members);
}

bool CgroupReader::is_ours_to_change() const {
  if (groups_.empty()) return false;
  const int folder = groups_.front().folder.get();
  return ::faccessat(folder, ".", W_OK, AT_EACCESS) == 0 &&
         ::faccessat(folder, "cgroup.procs", W_OK, AT_EACCESS) == 0;
}

Result<std::vector<pid_t>> cgroup_members(const Roots& roots, const std::string& path) {
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  for (const auto& place : named_places(path, mounts_seen(*root, 0), roots.sys)) {
    const auto folder = open_folder(place.folder());
    if (!folder || !open_at(folder.get(), "cgroup.procs")) continue;
    if (const auto own = pids_in(folder.get()); !own) return own.error();
    std::vector<pid_t> members;
    auto keep = [&](const std::vector<pid_t>& pids) {
      std::copy_if(pids.begin(), pids.end(), std::back_inserter(members),
                   [](pid_t pid) { return pid > 0; });
      return true;
    };
    for_each_group(folder.get(), 0, keep);
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    return members;
  }
  return Error{Reason::Gone, path + ": no such cgroup"};
}

}  // namespace tidegauge::proc
