// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/result.h"
#include "record/sample.h"

namespace tidegauge::proc {

// /proc/PID/status, the fields that we use. Memory is empty in kernel threads and in processes
// that have ended; single lines are missing in kernels that do not know them.
struct Status {
  char state = '?';
  pid_t thread_group = 0;   // the process: differs from the pid asked for if that was a thread's
  pid_t innermost_pid = 0;  // as the process sees itself, in the pid namespace that it lives in
  int pid_namespaces = 1;   // between ours and its own, both counted; 1: it lives in ours
  record::Count threads{};
  record::Bytes rss{};
  record::Bytes anon{};
  record::Bytes file{};
  record::Bytes shmem{};
  record::Bytes swap{};
  record::Bytes hugetlb{};
  record::Bytes page_tables{};
  record::Bytes locked{};
  record::Bytes peak_rss{};

  bool operator==(const Status&) const = default;
};

// The text of /proc/PID/status. Opens nothing, so it can be fuzzed. A name cannot forge a line: the
// kernel escapes newlines in it.
Result<Status> parse_status(std::string_view text);

}  // namespace tidegauge::proc
