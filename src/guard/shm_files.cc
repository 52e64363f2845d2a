// SPDX-License-Identifier: Apache-2.0
#include "guard/shm_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "base/mapping.h"
#include "base/text.h"

namespace tidegauge::guard {

namespace {

constexpr mode_t kForOthers = 077;

struct Found {
  std::string path;
  ino_t inode = 0;  // 0: not told
};

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
      found.push_back({std::string(mapping->path), static_cast<ino_t>(mapping->inode)});
    }
  }
  for (const auto& fd : fds ? *fds : std::vector<std::string>{}) {
    const auto link = root.read_link(pid, "fd/" + fd);
    if (link && link->starts_with(folder)) found.push_back({*link, 0});
  }
  return found;
}

}  // namespace

// `expected`: what the process says that the file is; another one of that name is none of ours.
void ShmFiles::note_path(const std::string& path, ino_t expected) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (expected != 0 && info.st_ino != expected) return;
  files_[path] = {info.st_dev, info.st_ino};
}

void ShmFiles::note(pid_t pid) {
  const auto root = proc::Root::open(roots_.proc);
  if (!root) return;
  const auto found = found_in(*root, pid, roots_.dev_shm + "/");
  if (!found) return;
  for (const auto& [path, inode] : *found) note_path(path, inode);
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
      if (one.path == path || one.inode == file.second) return true;
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
