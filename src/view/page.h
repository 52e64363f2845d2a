// SPDX-License-Identifier: Apache-2.0
// The page: one HTML file that holds its code, its fonts and its data.
#pragma once

#include <string>
#include <string_view>

namespace tidegauge::view {

// What web/ was built into: a page with a place for its data. Empty where tidegauge was built
// without it.
std::string_view page_template();

// `json` in its place. Whatever is in it, none of it is markup.
std::string page_with(std::string_view page, std::string_view json);

// JSON that may stand inside <script>: the same values, with nothing that ends or opens markup.
std::string safe_in_script(std::string_view json);

}  // namespace tidegauge::view
