// SPDX-License-Identifier: Apache-2.0
// Whose rights a command has that reads files which somebody else may have written.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tidegauge::cli {

// Root that is given another user's files goes on as that user, for good: what is in them is not
// parsed with root's rights. Gives the user's name; empty: nothing has changed. Denied where one of
// the files cannot be read then.
Result<std::string> go_on_as_owner_of(const std::vector<std::string>& files);

}  // namespace tidegauge::cli
