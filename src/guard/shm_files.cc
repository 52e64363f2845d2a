// SPDX-License-Identifier: Apache-2.0
#include "guard/shm_files.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/mapping.h"
#include "base/text.h"
#include "proc/probe.h"

namespace tidegauge::guard {

namespace {

constexpr mode_t kForOthers = 077;

struct Found {
  std::string path;
  std::pair<dev_t, ino_t> file;
};

// "fd:00"
dev_t device_of(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  const auto major_number = to_number<unsigned>(text.substr(0, colon), 16);
  const auto minor_number = to_number<unsigned>(text.substr(std::min(colon + 1, text.size())), 16);
  return makedev(major_number.value_or(0), minor_number.value_or(0));
}

bool is_before(const timespec& one, const timespec& other) {
  return one.tv_sec < other.tv_sec || (one.tv_sec == other.tv_sec && one.tv_nsec < other.tv_nsec);
}

// What a process maps and holds open below `folder`; nothing where that is not ours to know.
std::optional<std::vector<Found>> found_in(const proc::Root& root, pid_t pid,
                                           const std::string& folder) {
  std::vector<Found> found;
  const auto maps = root.read(pid, "maps");
  const auto fds = root.list(pid, "fd");
  const auto gone = [](const auto& result) { return result.error().reason == Reason::Gone; };
  if ((!maps && !gone(maps)) || (!fds && !gone(fds))) return {};
  std::string_view text = maps ? std::string_view(*maps) : std::string_view();
  while (!text.empty()) {
    const auto mapping = parse_mapping_line(next_line(text));
    if (mapping && mapping->path.starts_with(folder)) {
      found.push_back({std::string(mapping->path),
                       {device_of(mapping->device), static_cast<ino_t>(mapping->inode)}});
    }
  }
  for (const auto& fd : fds ? *fds : std::vector<std::string>{}) {
    const auto link = root.read_link(pid, "fd/" + fd);
    if (!link || !link->starts_with(folder)) continue;
    // The file itself: in another mount namespace the path names another one.
    const auto file = root.status_of(pid, "fd/" + fd);
    if (file) found.push_back({*link, {file->st_dev, file->st_ino}});
  }
  return found;
}

}  // namespace

// Only a file of the user `holder`: a process can map another user's file, and must not be able to
// have it removed by a guard that runs as root. `expected` is the file that the process has; in
// another mount namespace it is not the one that this path names here.
void ShmFiles::note_path(const std::string& path, const Identity& expected, uid_t holder) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (Identity{info.st_dev, info.st_ino} != expected || info.st_uid != holder) return;
  files_[path] = expected;
}

void ShmFiles::note(pid_t pid) {
  const auto root = proc::Root::open(roots_.proc);
  if (!root) return;
  const auto holder = proc::user_ids_of(*root, pid);
  const auto found = found_in(*root, pid, roots_.dev_shm + "/");
  if (!found || !holder) return;
  for (const auto& [path, file] : *found) note_path(path, file, holder->user);
}

bool ShmFiles::is_ours(const std::string& path, const Identity& file) const {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == file.first &&
         info.st_ino == file.second && info.st_uid == ::geteuid() &&
         !is_before(info.st_ctim, began_);
}

bool ShmFiles::is_in_use(const proc::Root& root, const std::string& path,
                         const Identity& file) const {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return true;
  const bool private_file = (info.st_mode & kForOthers) == 0;
  const auto pids = root.pids();
  if (!pids) return true;
  for (const auto pid : *pids) {
    const auto found = found_in(root, pid, roots_.dev_shm + "/");
    // A stranger cannot have opened what is ours alone.
    if (!found && !private_file) return true;
    for (const auto& one : found ? *found : std::vector<Found>{}) {
      if (one.path == path || one.file == file) return true;
    }
  }
  return false;
}

std::vector<std::string> ShmFiles::clean() {
  std::vector<std::string> removed;
  const auto root = proc::Root::open(roots_.proc);
  if (!root) return removed;
  for (const auto& [path, file] : files_) {
    if (!is_ours(path, file) || is_in_use(*root, path, file)) continue;
    if (::unlink(path.c_str()) == 0) removed.push_back(path);
  }
  files_.clear();
  return removed;
}

}  // namespace tidegauge::guard
