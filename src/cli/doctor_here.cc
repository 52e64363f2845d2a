// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_here.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/units.h"
#include "record/file.h"
#include "record/store.h"

namespace tidegauge::cli {

namespace {

using proc::Finding;

const auto kLargestRecording = static_cast<double>(record::Bounds{}.max_bytes);

Finding here(Finding::State state, std::string what, std::string found, std::string advice = {}) {
  return {state, "here", std::move(what), std::move(found), std::move(advice)};
}

Finding recordings() {
  constexpr auto kElsewhere = "set XDG_DATA_HOME, or name a file with --record";
  const auto folder = record::store_folder();  // made if need be, as the first recording would
  if (!folder) {
    return here(Finding::State::Limited, "recordings", printable(folder.error().what), kElsewhere);
  }
  struct statvfs space {};
  if (::access(folder->c_str(), W_OK | X_OK) != 0 || ::statvfs(folder->c_str(), &space) != 0) {
    return here(Finding::State::Limited, "recordings", printable(*folder) + " cannot be written",
                kElsewhere);
  }
  const auto free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  const auto found = fmt::format("{}, {} free", printable(*folder), format_bytes(free));
  if (free >= kLargestRecording) return here(Finding::State::Good, "recordings", found);
  return here(Finding::State::Limited, "recordings", found, "make room, or set XDG_DATA_HOME");
}

Finding terminal(const Paper& paper) {
  if (!paper.terminal) return here(Finding::State::Good, "terminal", "none: plain text");
  const std::string_view codeset = ::nl_langinfo(CODESET);
  const auto found = fmt::format("{} columns, {}, {}", paper.columns,
                                 paper.colour ? "colour" : "no colour", codeset);
  if (paper.unicode) return here(Finding::State::Good, "terminal", found);
  return here(Finding::State::Limited, "terminal", found,
              "a UTF-8 locale gives finer charts: export LC_ALL=C.UTF-8");
}

Finding python() {
  const char* const variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "";
  while (!path.empty()) {
    const auto colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    path.remove_prefix(colon == path.npos ? path.size() : colon + 1);
    for (const auto* name : {"python3", "python"}) {
      const auto file = folder + "/" + name;
      if (folder.empty() || ::access(file.c_str(), X_OK) != 0) continue;
      std::error_code error;
      const auto real = std::filesystem::canonical(file, error);
      return here(Finding::State::Good, "Python", printable(error ? file : real.string()));
    }
  }
  return here(Finding::State::Good, "Python", "none in PATH; watching needs none");
}

}  // namespace

std::vector<Finding> examine_here(const Paper& paper) {
  return {recordings(), terminal(paper), python()};
}

}  // namespace tidegauge::cli
