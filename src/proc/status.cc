// SPDX-License-Identifier: Apache-2.0
#include "proc/status.h"

#include "base/text.h"
#include "proc/kilobytes.h"

namespace tidegauge::proc {

namespace {

struct Field {
  std::string_view name;
  record::Bytes Status::*member;
};
constexpr Field kFields[] = {
    {"VmLck:", &Status::locked},
    {"VmHWM:", &Status::peak_rss},
    {"VmRSS:", &Status::rss},
    {"RssAnon:", &Status::anon},
    {"RssFile:", &Status::file},
    {"RssShmem:", &Status::shmem},
    {"VmPTE:", &Status::page_tables},
    {"VmSwap:", &Status::swap},
    {"HugetlbPages:", &Status::hugetlb},
};

void add_memory(Status& status, std::string_view name, std::string_view value) {
  for (const auto& field : kFields) {
    if (field.name == name) status.*field.member = kilobytes(value);
  }
}

void add_namespaces(Status& status, std::string_view value) {
  int count = 0;
  for (auto word = next_word(value); !word.empty(); word = next_word(value)) {
    const auto pid = to_number<pid_t>(word);
    if (!pid) return;
    status.innermost_pid = *pid;
    ++count;
  }
  if (count > 0) status.pid_namespaces = count;
}

}  // namespace

Result<Status> parse_status(std::string_view text) {
  Status status;
  while (!text.empty()) {
    auto line = next_line(text);
    const auto name = next_word(line);
    // Two in three lines are passed over by their first letter: this runs for every process at
    // every look.
    if (name.starts_with("Vm") || name.starts_with("Rss") || name.starts_with("Hug")) {
      add_memory(status, name, line);
    } else if (name == "State:") {
      if (const auto state = next_word(line); state.size() == 1) status.state = state[0];
    } else if (name == "Tgid:") {
      status.thread_group = to_number<pid_t>(next_word(line)).value_or(0);
    } else if (name == "NSpid:") {
      add_namespaces(status, line);
    } else if (name == "Threads:") {
      status.threads = to_number<std::uint64_t>(next_word(line));
      break;  // nothing of ours comes after it
    }
  }
  if (status.thread_group <= 0) return Error{Reason::Malformed, "status: no Tgid in it"};
  return status;
}

}  // namespace tidegauge::proc
