// SPDX-License-Identifier: Apache-2.0
#include "cli/file_owner.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "base/text.h"
#include "proc/confined.h"

namespace tidegauge::cli {

namespace {

// Nothing: root's own, or no plain file. A pipe is read with the rights of whoever started us.
std::optional<proc::UserIds> other_owner_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid == 0) return {};
  return proc::UserIds{.user = info.st_uid, .group = info.st_gid, .groups = {}};
}

// The user's own groups, where the account is known here.
proc::UserIds with_groups(proc::UserIds ids) {
  constexpr int kMostGroups = 1024;
  passwd account{};
  passwd* found = nullptr;
  std::array<char, 4096> texts{};
  if (::getpwuid_r(ids.user, &account, texts.data(), texts.size(), &found) != 0 || !found) {
    return ids;
  }
  ids.group = found->pw_gid;
  ids.groups.resize(kMostGroups);
  int count = kMostGroups;
  const bool all = ::getgrouplist(found->pw_name, found->pw_gid, ids.groups.data(), &count) >= 0;
  ids.groups.resize(all ? static_cast<std::size_t>(count) : 0);
  return ids;
}

}  // namespace

Result<std::string> go_on_as_owner_of(const std::vector<std::string>& files) {
  if (::geteuid() != 0) return std::string();
  std::optional<proc::UserIds> owner;
  std::string of;
  std::vector<std::string> there;
  for (const auto& path : files) {
    if (::access(path.c_str(), F_OK) == 0) there.push_back(path);
    if (owner) continue;
    owner = other_owner_of(path);
    of = path;
  }
  if (!owner) return std::string();
  const auto name = proc::user_name(owner->user);
  if (const auto done = proc::become(with_groups(*owner)); !done) return done.error();
  for (const auto& path : there) {
    if (::access(path.c_str(), R_OK) == 0) continue;
    return Error{Reason::Denied,
                 fmt::format("{} cannot be read by {}, to whom {} belongs. Root reads other users' "
                             "files with their rights: name the files of one user at a time",
                             printable(path), name, printable(of))};
  }
  return name;
}

}  // namespace tidegauge::cli
