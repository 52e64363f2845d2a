// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "census/layout_cache.h"

namespace tidegauge::census {

// How the build of CPython lays out its objects that `program` runs, which a person has named: it
// is started (census/model.h), read by a process without rights, and ended. Unsupported: it is no
// CPython, or one of which something was not found.
Result<KeptLayout> learn_layout(const std::string& program,
                                std::span<const Layout> known = known_layouts());

}  // namespace tidegauge::census
