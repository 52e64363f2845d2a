// SPDX-License-Identifier: Apache-2.0
// What was learned about a build of CPython, kept in the user's folder for caches under the
// build-id of its file. Whatever is read there is checked on the process before it is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "census/layout.h"

namespace tidegauge::census {

std::string layout_as_text(const Layout& row);
// Nothing unless every fact is there and makes sense.
std::optional<Layout> parse_layout(std::string_view text);

std::optional<Layout> kept_layout(const std::string& build_id);
void keep_layout(const std::string& build_id, const Layout& row);  // where that can be done

}  // namespace tidegauge::census
