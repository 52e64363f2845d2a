// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/sample.h"

namespace tidegauge::proc {

// Which program a process runs: chosen anew, at random, by every exec, and kept by fork. So a
// process whose image changed has called exec, and two processes of one image are a parent and its
// forked child, whose memory is alike at the same addresses. All zero where it is not ours to know.
struct Image {
  std::uint64_t code_start = 0;
  std::uint64_t stack_start = 0;

  bool known() const { return stack_start != 0; }
  bool operator==(const Image&) const = default;
};

// /proc/PID/stat, the fields that we use.
struct Stat {
  record::ProcessId id{};
  std::string name{};  // as the process set it: any bytes but NUL
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;  // process group
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t threads = 0;
  std::uint64_t size_bytes = 0;  // of the address space
  std::uint64_t rss_pages = 0;
  int exit_signal = 0;  // what its parent gets when it ends; 0: nothing
  Image image{};
  // As wait() gives it; only of a process that has ended. Where it is not ours to know the kernel
  // says 0, as for a good end: whether its image was known while it lived tells the two apart.
  std::optional<int> wait_status{};
  bool of_the_kernel = false;  // a thread of it: no program, no memory of its own

  bool operator==(const Stat&) const = default;
};

// The text of /proc/PID/stat. Opens nothing, so it can be fuzzed.
Result<Stat> parse_stat(std::string_view text);
class Root;
// Of a process as it is now; Gone: there is none.
Result<Stat> read_stat(const Root& root, pid_t pid);

// Ended, and kept only until its parent asks how. A first thread that has left the others alone
// looks like that too, but has not ended.
bool has_ended(const Stat& stat);

// A copy that a census made of a process: it never runs, and nobody is told when it goes. It is no
// part of the job, though its parent is.
bool is_census_copy(const Stat& stat);

}  // namespace tidegauge::proc
