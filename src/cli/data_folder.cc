// SPDX-License-Identifier: Apache-2.0
#include "cli/data_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace tidegauge::cli {

namespace {

// Relative ones are to be ignored: freedesktop.org, XDG Base Directory Specification.
std::string absolute(const char* path) {
  return path != nullptr && *path == '/' ? path : "";
}

std::string home() {
  if (auto path = absolute(std::getenv("HOME")); !path.empty()) return path;
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry != nullptr ? absolute(entry->pw_dir) : "";
}

}  // namespace

std::string data_folder() {
  if (auto path = absolute(std::getenv("XDG_DATA_HOME")); !path.empty()) return path + "/tidegauge";
  const auto at_home = home();
  return at_home.empty() ? "" : at_home + "/.local/share/tidegauge";
}

}  // namespace tidegauge::cli
