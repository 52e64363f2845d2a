// SPDX-License-Identifier: Apache-2.0
#include "base/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace tidegauge {

Result<> write_all(int fd, std::string_view text, std::string_view subject) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return from_errno(written < 0 ? errno : ENOSPC, subject);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok{};
}

}  // namespace tidegauge
