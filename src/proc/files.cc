// SPDX-License-Identifier: Apache-2.0
#include "proc/files.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "proc/run_time.h"

namespace tidegauge::proc {

KeptFile::KeptFile(KeptFile&& other) noexcept
    : fd_(std::move(other.fd_)), count_(std::exchange(other.count_, nullptr)) {}

KeptFile& KeptFile::operator=(KeptFile&& other) noexcept {
  forget();
  fd_ = std::move(other.fd_);
  count_ = std::exchange(other.count_, nullptr);
  return *this;
}

void KeptFile::forget() {
  fd_ = UniqueFd();
  if (count_ != nullptr) --*std::exchange(count_, nullptr);
}

Result<std::string_view> Files::read(KeptFile& kept, pid_t pid, std::string_view file) {
  if (kept.fd_) return read_start(kept.fd_.get(), pid, file);
  auto fd = root_.open_file(pid, file);
  if (!fd) return fd.error();
  auto text = read_start(fd->get(), pid, file);
  if (text && kept_ < most_kept_) {
    kept.fd_ = std::move(*fd);
    kept.count_ = &kept_;
    ++kept_;
  }
  return text;
}

Result<std::string_view> Files::read(pid_t pid, std::string_view file) {
  const auto fd = root_.open_file(pid, file);
  if (!fd) return fd.error();
  return read_start(fd->get(), pid, file);
}

std::optional<std::int64_t> Files::run_time(pid_t pid) const {
  return pids_are_ours_ ? run_time_ns(pid) : std::nullopt;
}

Result<std::string_view> Files::read_start(int fd, pid_t pid, std::string_view file) {
  ssize_t got = 0;
  do {
    got = ::pread(fd, buffer_.data(), buffer_.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return from_errno(errno, std::to_string(pid).append("/").append(file));
  return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
}

std::size_t affordable_kept_files(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min(wanted, static_cast<std::size_t>(limit.rlim_cur / 2));
}

}  // namespace tidegauge::proc
