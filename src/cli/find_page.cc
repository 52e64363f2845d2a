// SPDX-License-Identifier: Apache-2.0
#include "cli/find_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

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

}  // namespace

Result<record::AskPage> find_page(const proc::Root& root, pid_t pid) {
  if (!root.read(pid, "stat")) {
    return Error{Reason::Gone, fmt::format("there is no process {}", pid)};
  }
  auto path = page_of_gauge(root, pid);
  if (path.empty()) path = page_in_environment(root, pid);
  if (path.empty()) {
    return Error{
        Reason::Unsupported,
        fmt::format(
            "{} neither runs a job under the gauge nor is part of one, or is not ours to look at",
            pid)};
  }
  auto page = record::AskPage::open(path);
  if (page) return page;
  return Error{Reason::Gone, fmt::format("the gauge of {} is gone", pid)};
}

}  // namespace tidegauge::cli
