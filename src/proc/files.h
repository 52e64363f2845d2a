// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "proc/root.h"

namespace tidegauge::proc {

// Place for a descriptor that stays open between two reads of the same file: a read costs a third
// of open, read and close, and follows the process, so that no other one with its pid can answer.
class KeptFile {
 public:
  KeptFile() = default;
  KeptFile(KeptFile&& other) noexcept;
  KeptFile& operator=(KeptFile&& other) noexcept;
  ~KeptFile() { forget(); }

  void forget();  // opens anew next time
  bool is_kept() const { return static_cast<bool>(fd_); }

 private:
  friend class Files;
  UniqueFd fd_;
  std::size_t* count_ = nullptr;  // of the Files that opened it
};

// Reads the small files of many processes. Keeps up to a number of them open, and opens the rest
// each time.
class Files {
 public:
  Files(Root root, std::size_t most_kept) : root_(std::move(root)), most_kept_(most_kept) {}
  Files(const Files&) = delete;  // KeptFiles point to it
  Files& operator=(const Files&) = delete;

  // The beginning of PID/FILE, which is all of it for the files that we keep. Good until the next
  // call. Gone: the process is no more.
  Result<std::string_view> read(KeptFile& kept, pid_t pid, std::string_view file);
  Result<std::string_view> read(pid_t pid, std::string_view file);

  // Whether pids mean the same to system calls as in these files.
  void trust_pids(bool ours) { pids_are_ours_ = ours; }
  // What run_time_ns() says, where it speaks of the same process.
  std::optional<std::int64_t> run_time(pid_t pid) const;

  const Root& root() const { return root_; }
  std::size_t kept() const { return kept_; }
  bool has_room() const { return kept_ < most_kept_; }  // to keep one more

 private:
  Result<std::string_view> read_start(int fd, pid_t pid, std::string_view file);

  Root root_;
  std::size_t most_kept_;
  std::size_t kept_ = 0;
  bool pids_are_ours_ = false;
  std::vector<char> buffer_ = std::vector<char>(8192);  // status with many cores' masks: 3 KB
};

// What may be kept open without getting in anybody's way: half of what this process may have.
std::size_t affordable_kept_files(std::size_t wanted);

}  // namespace tidegauge::proc
