// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"

namespace tidegauge {

// However many calls it takes. `subject` is what an error names.
Result<> write_all(int fd, std::string_view text, std::string_view subject);

}  // namespace tidegauge
