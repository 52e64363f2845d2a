// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace tidegauge::serve {

// 128 random bits in hexadecimal.
Result<std::string> new_token();

// The one in the file at `path`, which only its owner may read; a new one where there is none. The
// same after a restart, so that pages that are open find back.
Result<std::string> kept_token(const std::string& path);

// $XDG_STATE_HOME/tidegauge/serve-token, by default below ~/.local/state. Its folder is made.
Result<std::string> token_path();

}  // namespace tidegauge::serve
