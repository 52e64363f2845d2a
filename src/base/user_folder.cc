// SPDX-License-Identifier: Apache-2.0
#include "base/user_folder.h"

#include <fmt/format.h>

#include <cstdlib>

namespace tidegauge {

Result<std::string> folder_of_ours(const UserFolder& kind) {
  const char* const given = std::getenv(kind.variable);
  if (given != nullptr && *given == '/') return fmt::format("{}/tidegauge", given);
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') {
    return fmt::format("{}/{}/tidegauge", home, kind.below_home);
  }
  return Error{Reason::Gone, fmt::format("neither {} nor HOME is set", kind.variable)};
}

}  // namespace tidegauge
