// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace tidegauge {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the kernel follows

// The path without its last part's link: `link` as seen from the folder that holds it.
fs::path target_of(const fs::path& link) {
  std::error_code error;
  const auto target = fs::read_symlink(link, error);
  return error ? fs::path() : link.parent_path() / target;
}

// Whether only `user` and root decide what `folder` is: they own each folder and each link on the
// way to it, and nobody else may rename what is in them. In a folder for all, like /tmp, the sticky
// bit protects what is there; what is missing there, anybody could put a link in its place.
bool is_safe_for(uid_t user, const fs::path& folder, int links = 0) {
  constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
  bool others_add = false;  // others may add entries to the folder that was looked at last
  fs::path so_far;
  for (const auto& part : folder) {
    so_far /= part;
    struct stat info {};
    if (::lstat(so_far.c_str(), &info) != 0) {
      return (errno == ENOENT || errno == ENOTDIR) && !others_add;
    }
    if (info.st_uid != user && info.st_uid != 0) return false;
    if (S_ISLNK(info.st_mode)) {
      const auto target = target_of(so_far);
      if (links == kMostLinks || target.empty() || !is_safe_for(user, target, links + 1)) {
        return false;
      }
      if (::stat(so_far.c_str(), &info) != 0) return false;
    }
    others_add = (info.st_mode & kOthersWrite) != 0;
    if (others_add && (info.st_mode & S_ISVTX) == 0) return false;
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
  return Error{Reason::Denied, fmt::format("other users could redirect what root writes below {}",
                                           is_given ? given : home)};
}

}  // namespace tidegauge
