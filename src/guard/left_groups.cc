// SPDX-License-Identifier: Apache-2.0
#include "guard/left_groups.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "guard/cell.h"
#include "guard/step_down.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

constexpr double kLeastAgeSeconds = 60;

bool is_old(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 &&
         clock_seconds(CLOCK_REALTIME) - static_cast<double>(status.st_mtim.tv_sec) >=
             kLeastAgeSeconds;
}

}  // namespace

bool lives(const proc::Root& root, const record::ProcessId& owner) {
  const auto stat = proc::read_stat(root, owner.pid);
  return stat && stat->id == owner && !proc::has_ended(*stat);
}

void remove_left_groups(const proc::Root& root, const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator next(folder, error);
  for (; !error && next != std::filesystem::directory_iterator(); next.increment(error)) {
    const auto name = next->path().filename().string();
    std::string_view owned = name;
    if (owned.ends_with(kGaugeSuffix)) owned.remove_suffix(kGaugeSuffix.size());
    const auto owner = owner_of(owned);
    const auto path = next->path().string();
    // The kernel refuses where somebody is in it.
    if (owner && !lives(root, *owner) && is_old(path)) ::rmdir(path.c_str());
  }
}

}  // namespace tidegauge::guard
