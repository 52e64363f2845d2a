// SPDX-License-Identifier: Apache-2.0
#include "cli/find_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "proc/fd_path.h"
#include "proc/probe.h"
#include "proc/roots.h"
#include "record/ask.h"

namespace tidegauge::cli {

namespace {

// The page that a process of a job was given.
std::string page_in_environment(const proc::Root& root, pid_t pid) {
  const auto text = root.read(pid, "environ");
  if (!text) return {};
  const std::string name = std::string(tidegauge_ask_variable()) + "=";
  for (std::size_t at = 0; at < text->size();) {
    const auto end = std::min(text->find('\0', at), text->size());
    const auto variable = std::string_view(*text).substr(at, end - at);
    if (variable.starts_with(name)) return std::string(variable.substr(name.size()));
    at = end + 1;
  }
  return {};
}

// The page that a gauge holds.
std::string page_of_gauge(const proc::Root& root, pid_t pid) {
  const auto files = root.list(pid, "fd");
  if (!files) return {};
  for (const auto& file : *files) {
    const auto target = root.read_link(pid, "fd/" + file);
    if (target && target->starts_with("/memfd:tidegauge-ask")) {
      return fmt::format("{}/{}/fd/{}", proc::Roots{}.proc, pid, file);
    }
  }
  return {};
}

bool shares_our_pids(const proc::Root& root, pid_t pid) {
  const auto theirs = root.read_link(pid, "ns/pid");
  const auto ours = root.read_link("self/ns/pid");
  return theirs && ours && *theirs == *ours;
}

// The page at `path`, which the process `pid` or its environment named. What a job says must not
// lead us, who may be root, to another user's job: the page has to belong to the user that the
// process runs as.
Result<record::AskPage> open_page(const proc::Root& root, pid_t pid, const std::string& path) {
  // A path alone opens nothing: a device would notice that it is opened, and a link could be
  // exchanged between the check and the opening.
  const UniqueFd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) {
    return Error{Reason::Gone, fmt::format("the gauge of {} is gone", pid)};
  }
  const auto ids = proc::user_ids_of(root, pid);
  if (!ids || ids->user != info.st_uid) {
    return Error{Reason::Denied,
                 fmt::format("{} names the gauge of another user: name the process id of the "
                             "tidegauge that runs the job",
                             pid)};
  }
  auto page = record::AskPage::open(proc::fd_path(file.get()));
  if (page) return page;
  return Error{Reason::Gone, fmt::format("the gauge of {} is gone", pid)};
}

}  // namespace

Result<record::AskPage> find_page(const proc::Root& root, pid_t pid) {
  if (!root.read(pid, "stat")) {
    return Error{Reason::Gone, fmt::format("there is no process {}", pid)};
  }
  const auto of_gauge = page_of_gauge(root, pid);
  if (!of_gauge.empty()) return open_page(root, pid, of_gauge);
  const auto named = page_in_environment(root, pid);
  if (named.empty()) {
    return Error{
        Reason::Unsupported,
        fmt::format(
            "{} neither runs a job under the gauge nor is part of one, or is not ours to look at",
            pid)};
  }
  if (!shares_our_pids(root, pid)) {
    return Error{Reason::Unsupported,
                 fmt::format("{} is in a container of its own: name the process id of the "
                             "tidegauge that runs the job",
                             pid)};
  }
  return open_page(root, pid, named);
}

}  // namespace tidegauge::cli
