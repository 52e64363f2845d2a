// SPDX-License-Identifier: Apache-2.0
#include "proc/root.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

constexpr std::size_t kChunk = 4096;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};
using Directory = std::unique_ptr<DIR, CloseDir>;

Result<Directory> open_directory(int at, const std::string& name) {
  UniqueFd fd(::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return from_errno(errno, name);
  Directory dir(::fdopendir(fd.get()));
  if (!dir) return from_errno(errno, name);
  fd.release();
  return dir;
}

Result<std::string> read_at(int at, const std::string& name) {
  const UniqueFd fd(::openat(at, name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return from_errno(errno, name);
  std::string text;
  if (const auto done = read_again(fd.get(), text, name); !done) return done.error();
  return text;
}

std::string path_of(pid_t pid, std::string_view file) {
  return std::to_string(pid).append("/").append(file);
}

}  // namespace

Result<> read_again(int fd, std::string& text, std::string_view subject) {
  text.clear();
  while (true) {
    const auto had = text.size();
    text.resize(had + kChunk);
    const ssize_t got = ::pread(fd, text.data() + had, kChunk, static_cast<off_t>(had));
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return Ok{};
    if (got < 0 && errno != EINTR) return from_errno(errno, subject);  // ESRCH: it exited
  }
}

Result<std::string_view> read_piece(int fd, std::string& buffer, std::string_view subject) {
  if (buffer.size() < kChunk) buffer.resize(kChunk);
  while (true) {
    const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return from_errno(errno, subject);
    const auto size = static_cast<std::size_t>(got);
    if (size < buffer.size()) return std::string_view(buffer).substr(0, size);
    buffer.resize(2 * buffer.size());
  }
}

Result<Root> Root::open(const std::string& path) {
  UniqueFd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!dir) return from_errno(errno, path);
  return Root(std::move(dir));
}

Result<std::string> Root::read(pid_t pid, std::string_view file) const {
  return read_at(dir_.get(), path_of(pid, file));
}

Result<std::string> Root::read(std::string_view file) const {
  return read_at(dir_.get(), std::string(file));
}

Result<UniqueFd> Root::open_file(pid_t pid, std::string_view file) const {
  return open_file(path_of(pid, file));
}

Result<UniqueFd> Root::open_file(std::string_view file) const {
  const std::string name(file);
  UniqueFd fd(::openat(dir_.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return from_errno(errno, name);
  return fd;
}

Result<std::vector<pid_t>> Root::pids() const {
  const auto dir = open_directory(dir_.get(), ".");
  if (!dir) return dir.error();
  std::vector<pid_t> pids;
  while (const dirent* entry = ::readdir(dir->get())) {
    if (const auto pid = to_number<pid_t>(entry->d_name)) pids.push_back(*pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

Result<struct stat> Root::status_of(pid_t pid, std::string_view file) const {
  struct stat status {};
  const auto name = path_of(pid, file);
  if (::fstatat(dir_.get(), name.c_str(), &status, 0) != 0) return from_errno(errno, name);
  return status;
}

Result<std::string> Root::read_link(pid_t pid, std::string_view file) const {
  return read_link(path_of(pid, file));
}

Result<std::string> Root::read_link(std::string_view file) const {
  const std::string name(file);
  std::string target(PATH_MAX, '\0');
  const ssize_t length = ::readlinkat(dir_.get(), name.c_str(), target.data(), target.size());
  if (length < 0) return from_errno(errno, name);
  target.resize(static_cast<std::size_t>(length));
  return target;
}

Result<std::vector<std::string>> Root::list(pid_t pid, std::string_view folder) const {
  const auto dir = open_directory(dir_.get(), path_of(pid, folder));
  if (!dir) return dir.error();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir->get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

}  // namespace tidegauge::proc
