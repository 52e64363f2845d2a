// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace tidegauge::proc {

// A /proc: the kernel's, or a folder that a test made. The only opener of files below it.
class Root {
 public:
  static Result<Root> open(const std::string& path);

  // The whole of PID/FILE. Gone: the process exited, which is not news.
  Result<std::string> read(pid_t pid, std::string_view file) const;
  // The whole of a file that belongs to no process: "meminfo", "pressure/memory".
  Result<std::string> read(std::string_view file) const;
  // PID/FILE, kept open for many preads.
  Result<UniqueFd> open_file(pid_t pid, std::string_view file) const;
  Result<UniqueFd> open_file(std::string_view file) const;
  // All pids there are now, ascending.
  Result<std::vector<pid_t>> pids() const;
  // Where PID/FILE points to: "exe", "fd/7".
  Result<std::string> read_link(pid_t pid, std::string_view file) const;
  Result<std::string> read_link(std::string_view file) const;
  // What PID/FILE leads to: for "fd/7" the open file itself, in whatever namespace its path is.
  Result<struct stat> status_of(pid_t pid, std::string_view file) const;
  // Names in PID/FOLDER ("task", "fd"), without . and ..
  Result<std::vector<std::string>> list(pid_t pid, std::string_view folder) const;

 private:
  explicit Root(UniqueFd dir) : dir_(std::move(dir)) {}
  UniqueFd dir_;
};

// All of what can be read from `fd`, from its beginning, into `text` (whose memory is used again).
Result<> read_again(int fd, std::string& text, std::string_view subject);
// The same of a file that the kernel writes in one piece, as it does most that are no lists: one
// system call instead of two. Good until `buffer` changes.
Result<std::string_view> read_piece(int fd, std::string& buffer, std::string_view subject);

}  // namespace tidegauge::proc
