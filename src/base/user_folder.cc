// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace tidegauge {

namespace {

namespace fs = std::filesystem;

// Whether nobody but `user` and root can put a link of theirs where `folder` is, or will be: they
// own each part of the path that is there.
bool is_safe_for(uid_t user, const fs::path& folder) {
  fs::path so_far;
  for (const auto& part : folder) {
    so_far /= part;
    struct stat info {};
    if (::stat(so_far.c_str(), &info) != 0) return true;  // the rest would be made by us
    if (info.st_uid != user && info.st_uid != 0) return false;
  }
  return true;
}

// The home folder that the account has, whatever the environment says. Empty: it has none.
std::string home_of_account(uid_t user) {
  passwd account{};
  passwd* found = nullptr;
  std::array<char, 4096> texts{};
  if (::getpwuid_r(user, &account, texts.data(), texts.size(), &found) != 0 || found == nullptr) {
    return {};
  }
  return found->pw_dir;
}

}  // namespace

Result<std::string> folder_of_ours(const UserFolder& kind) {
  return folder_of(::geteuid(), kind);
}

Result<std::string> folder_of(uid_t user, const UserFolder& kind) {
  // `sudo -E` keeps the caller's HOME. Root must not write where that caller can place links.
  const auto usable = [user](const std::string& folder) {
    return user != 0 || is_safe_for(user, folder);
  };
  const char* const given = std::getenv(kind.variable);
  const char* const home = std::getenv("HOME");
  const bool is_given = given != nullptr && *given == '/';
  const bool has_home = home != nullptr && *home == '/';
  if (!is_given && !has_home) {
    return Error{Reason::Gone, fmt::format("neither {} nor HOME is set", kind.variable)};
  }
  const auto below = [&kind](std::string_view folder) {
    return fmt::format("{}/{}/tidegauge", folder, kind.below_home);
  };
  if (is_given && usable(fmt::format("{}/tidegauge", given))) {
    return fmt::format("{}/tidegauge", given);
  }
  if (has_home && usable(below(home))) return below(home);
  const auto own = home_of_account(user);
  if (own.starts_with('/') && usable(below(own))) return below(own);
  return Error{Reason::Denied,
               fmt::format("{} belongs to another user, who could redirect what root writes there",
                           is_given ? given : home)};
}

}  // namespace tidegauge
