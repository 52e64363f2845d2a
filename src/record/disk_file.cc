// SPDX-License-Identifier: Apache-2.0
#include "record/disk_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/owner_only.h"
#include "base/text.h"
#include "record/file.h"

namespace tidegauge::record {

namespace {

constexpr int kOpenFlags = O_RDWR | O_CLOEXEC | O_NOCTTY;
constexpr std::size_t kCopyChunk = 1 << 20;

Error says(const std::string& path, const char* what) {
  return {Reason::Failed, printable(path) + " " + what};
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// The file at `path`, opened and locked, and what it is.
struct Opened {
  UniqueFd fd;
  struct stat status {};
};

Result<Opened> open_locked(const std::string& path, int flags) {
  while (true) {
    Opened opened{UniqueFd(::open(path.c_str(), kOpenFlags | flags, kOwnerOnly))};
    if (!opened.fd) return from_errno(errno, printable(path));
    if (::fstat(opened.fd.get(), &opened.status) != 0) return from_errno(errno, printable(path));
    if (S_ISCHR(opened.status.st_mode)) return opened;
    if (!S_ISREG(opened.status.st_mode)) return says(path, "is not a file to record to");
    if (::flock(opened.fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return says(path, "is being recorded to by another tidegauge");
      return from_errno(errno, printable(path));
    }
    // Between opening and locking, its owner may have put another file into its place.
    struct stat now {};
    if (::stat(path.c_str(), &now) == 0 && same_file(now, opened.status)) return opened;
    if ((flags & O_EXCL) != 0) return says(path, "was replaced by another file");
  }
}

// A recording by its content, or what somebody called one: neither is a file that a slip of the
// fingers would cost.
bool is_named_or_is_recording(const std::string& path) {
  return path.ends_with(".tg") || looks_like_recording(path);
}

Error taken(const std::string& path) {
  return says(path,
              "is there already and is no recording: name another file, or one ending in .tg");
}

// The file at `path`, empty and locked; what was there is kept beside it, or is left alone.
Result<Opened> open_afresh(const std::string& path) {
  auto opened = open_locked(path, O_CREAT);
  if (!opened || opened->status.st_size == 0) return opened;
  if (!is_named_or_is_recording(path)) return taken(path);
  if (::rename(path.c_str(), (path + ".old").c_str()) != 0) {
    return from_errno(errno, printable(path) + ".old");
  }
  return open_locked(path, O_CREAT | O_EXCL);
}

}  // namespace

Result<> may_record_to(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
      !is_named_or_is_recording(path)) {
    return taken(path);
  }
  if (UniqueFd fd(::open(path.c_str(), kOpenFlags | O_CREAT | O_EXCL, kOwnerOnly)); fd) {
    const bool room = ::write(fd.get(), "", 1) == 1;
    const int error = errno;
    ::unlink(path.c_str());
    return room ? Result<>(Ok{}) : from_errno(error, printable(path));
  }
  const UniqueFd fd(::open(path.c_str(), kOpenFlags | O_CREAT, kOwnerOnly));
  if (!fd) return from_errno(errno, printable(path));
  return Ok{};
}

Result<DiskFile> DiskFile::create(const std::string& path) {
  DiskFile file(path, UniqueFd());
  if (auto made = file.make(); !made && made.error().reason != Reason::NoRoom) return made.error();
  return file;
}

Result<> DiskFile::make() {
  auto opened = open_afresh(path_);
  if (!opened) return opened.error();
  fd_ = std::move(opened->fd);
  regular_ = S_ISREG(opened->status.st_mode);
  return Ok{};
}

Result<> DiskFile::append(std::string_view bytes) {
  if (auto there = fd_ ? bring_back_if_deleted() : make(); !there) return there;
  auto rest = bytes;
  while (!rest.empty()) {
    const auto at = static_cast<off_t>(size_ + (bytes.size() - rest.size()));
    const ssize_t put = regular_ ? ::pwrite(fd_.get(), rest.data(), rest.size(), at)
                                 : ::write(fd_.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const auto error = from_errno(put < 0 ? errno : ENOSPC, printable(path_));
      // Half a chunk would hide what is appended behind it later.
      if (regular_ && ::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) {
        return says(path_, "could not be written to, nor be cut back to what it was");
      }
      return error;
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  size_ += bytes.size();
  return Ok{};
}

// Whoever deletes a recording that is being made takes it for an old one. What we hold open is
// still whole, so it is put back, once its folder is there.
Result<> DiskFile::bring_back_if_deleted() {
  struct stat status {};
  if (!regular_ || ::fstat(fd_.get(), &status) != 0 || status.st_nlink > 0) return Ok{};
  auto opened = open_locked(path_, O_CREAT | O_EXCL);
  if (!opened) return opened.error();
  DiskFile again(path_, std::move(opened->fd));
  if (auto copied = copy_bytes(fd_.get(), 0, size_, again); !copied) {
    ::unlink(path_.c_str());
    return copied;
  }
  *this = std::move(again);
  return Ok{};
}

void DiskFile::remove_if_empty() {
  struct stat ours {};
  struct stat there {};
  if (!regular_ || ::fstat(fd_.get(), &ours) != 0 || ours.st_size > 0) return;
  if (::stat(path_.c_str(), &there) == 0 && same_file(ours, there)) ::unlink(path_.c_str());
}

Result<DiskFile> DiskFile::make_successor() const {
  const auto path = path_ + ".new";
  ::unlink(path.c_str());  // of a tidegauge that was killed meanwhile
  auto opened = open_locked(path, O_CREAT | O_EXCL);
  if (!opened) return opened.error();
  return DiskFile(path, std::move(opened->fd));
}

Result<> DiskFile::replace_by(DiskFile successor) {
  if (::rename(successor.path_.c_str(), path_.c_str()) != 0) {
    const auto error = from_errno(errno, printable(path_));
    ::unlink(successor.path_.c_str());
    return error;
  }
  successor.path_ = path_;
  *this = std::move(successor);
  return Ok{};
}

Result<> copy_bytes(int from, std::uint64_t begin, std::uint64_t end, DiskFile& to) {
  std::string chunk;
  while (begin < end) {
    chunk.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kCopyChunk, end - begin)));
    const ssize_t got = ::pread(from, chunk.data(), chunk.size(), static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return from_errno(got < 0 ? errno : EIO, printable(to.path()));
    chunk.resize(static_cast<std::size_t>(got));
    if (auto done = to.append(chunk); !done) return done;
    begin += static_cast<std::uint64_t>(got);
  }
  return Ok{};
}

}  // namespace tidegauge::record
