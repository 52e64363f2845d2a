// SPDX-License-Identifier: Apache-2.0
// Where a user's own files belong, as the XDG base directory specification has it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace tidegauge {

struct UserFolder {
  const char* variable;
  const char* below_home;  // where the variable is not set
};
inline constexpr UserFolder kUserData{"XDG_DATA_HOME", ".local/share"};
inline constexpr UserFolder kUserState{"XDG_STATE_HOME", ".local/state"};
inline constexpr UserFolder kUserCache{"XDG_CACHE_HOME", ".cache"};

// $XDG_DATA_HOME/tidegauge and the like. Not made: it may not be there. Gone where the environment
// names none; a relative path names none.
Result<std::string> folder_of_ours(const UserFolder& kind);

// The same for `user`. Root gets no folder that another user owns or could replace. Where HOME and
// the variable name such a folder, as after `sudo -E`, it is the home folder of root's account;
// Denied where that is no better.
Result<std::string> folder_of(uid_t user, const UserFolder& kind);

}  // namespace tidegauge
