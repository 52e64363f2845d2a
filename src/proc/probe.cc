// SPDX-License-Identifier: Apache-2.0
#include "proc/probe.h"

#include <pwd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/pagemap_scan.h"
#include "base/text.h"

namespace tidegauge::proc {

namespace {

// The kernel gives these to the first namespaces, in every version.
struct FirstNamespace {
  std::string_view kind;
  std::string_view link;
};
constexpr FirstNamespace kFirst[] = {
    {"cgroup", "cgroup:[4026531835]"}, {"pid", "pid:[4026531836]"}, {"user", "user:[4026531837]"}};

// It and kPagemapScan take a pointer to a structure, whose size is part of their number: with none
// they fault where they exist, and nothing more happens.
constexpr unsigned long kProcmapQuery = _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, 104);

bool has_ioctl(const Root& root, std::string_view file, unsigned long request) {
  const auto fd = root.open_file(file);
  return fd && ::ioctl(fd->get(), request, nullptr) < 0 && errno == EFAULT;
}

// The second of the four numbers: real, effective, saved, of files.
template <class Id>
std::optional<Id> effective_in(std::string_view status, std::string_view name) {
  auto numbers = field_of(status, name);
  next_word(numbers);
  return to_number<Id>(next_word(numbers));
}

}  // namespace

Access access_to(const Root& root, pid_t pid, std::string_view file) {
  const auto fd = root.open_file(pid, file);
  if (fd) return Access::Yes;
  return fd.error().reason == Reason::Denied ? Access::Denied : Access::Absent;
}

std::string_view field_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto line = next_line(text);
    if (line.starts_with(name)) return trimmed(line.substr(name.size()));
  }
  return {};
}

Result<UserIds> parse_user_ids(std::string_view status) {
  const auto user = effective_in<uid_t>(status, "Uid:");
  const auto group = effective_in<gid_t>(status, "Gid:");
  if (!user || !group) return Error{Reason::Malformed, "status: it names no user and group"};
  UserIds ids{.user = *user, .group = *group};
  auto groups = field_of(status, "Groups:");
  for (auto word = next_word(groups); !word.empty(); word = next_word(groups)) {
    const auto one = to_number<gid_t>(word);
    if (!one) return Error{Reason::Malformed, "status: a group that is no number"};
    ids.groups.push_back(*one);
  }
  return ids;
}

Result<UserIds> user_ids_of(const Root& root, pid_t pid) {
  const auto status = root.read(pid, "status");
  if (!status) return status.error();
  return parse_user_ids(*status);
}

bool in_first_namespace(const Root& root, std::string_view kind) {
  const auto link = root.read_link(std::string("self/ns/").append(kind));
  if (!link) return true;
  for (const auto& first : kFirst) {
    if (first.kind == kind) return *link == first.link;
  }
  return true;
}

std::uint64_t own_capabilities(const Root& root) {
  const auto status = root.read("self/status");
  if (!status) return 0;
  const auto word = field_of(*status, "CapEff:");
  std::uint64_t bits = 0;
  std::from_chars(word.data(), word.data() + word.size(), bits, 16);
  return bits;
}

bool has_pagemap_scan(const Root& root) {
  return has_ioctl(root, "self/pagemap", kPagemapScan);
}

bool has_procmap_query(const Root& root) {
  return has_ioctl(root, "self/maps", kProcmapQuery);
}

std::string how_to_get_rights(const Root& root) {
  // Root without the right to trace is root of a container: nothing in it can give that.
  if (::geteuid() == 0) return "start the container with --cap-add SYS_PTRACE";
  const auto program = root.read_link("self/exe");
  return "sudo setcap cap_sys_ptrace+ep " + printable(program ? *program : "FILE");
}

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(4096);
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return entry.pw_name;
  }
  return "user " + std::to_string(uid);
}

}  // namespace tidegauge::proc
