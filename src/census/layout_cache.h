// SPDX-License-Identifier: Apache-2.0
// What was learned about a build of CPython, kept in the user's folder for caches under the
// build-id of its file. Whatever is read there is checked on the process before it is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "census/layout.h"

namespace tidegauge::census {

std::string layout_as_text(const Layout& row);
// Nothing unless every fact is there and makes sense.
std::optional<Layout> parse_layout(std::string_view text);

struct KeptLayout {
  std::string build_id{};
  Layout layout{};
  bool is_named = false;  // by a person, for whatever build it fits
};

// Those in the user's folder, as far as nobody else could have written them.
std::vector<KeptLayout> kept_layouts();
void keep_layout(const std::string& build_id, const Layout& row);  // where that can be done

}  // namespace tidegauge::census
