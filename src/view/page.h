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

// The page of a server, which holds no report but asks for it. Empty where there is no page.
std::string live_page(std::string_view page);

// JSON that may stand inside <script>: the same values, with nothing that ends or opens markup.
std::string safe_in_script(std::string_view json);

}  // namespace tidegauge::view
