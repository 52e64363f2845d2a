// SPDX-License-Identifier: Apache-2.0
#include "guard/group_files.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace tidegauge::guard {

UniqueFd open_in(const std::string& folder, const char* name, int flags) {
  return UniqueFd(::open((folder + "/" + name).c_str(), flags | O_CLOEXEC));
}

std::string_view read_group(const UniqueFd& fd, GroupText& buffer, off_t at) {
  ssize_t got = 0;
  do {
    got = ::pread(fd.get(), buffer.data(), buffer.size(), at);
  } while (got < 0 && errno == EINTR);
  return {buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

bool write_group(const UniqueFd& fd, std::string_view text) {
  ssize_t put = 0;
  do {
    put = ::pwrite(fd.get(), text.data(), text.size(), 0);
  } while (put < 0 && errno == EINTR);
  return put == static_cast<ssize_t>(text.size());
}

bool write_group(const UniqueFd& fd, long long number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} &&
         write_group(fd,
                     std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
}

UniqueFd pidfd_of(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace tidegauge::guard
