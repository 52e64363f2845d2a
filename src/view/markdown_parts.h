// SPDX-License-Identifier: Apache-2.0
// What Markdown is made of: text that stays text, names in code spans, rows of tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::view {

// Text of ours or of others as plain text: nothing in it is markup, and it stays in its table cell.
std::string escaped(std::string_view text);

// A name or a path in a code span. Inside one no escape works, so the characters that would end it
// or the cell are replaced, and those that would begin a tag.
std::string code(std::string_view text, std::size_t columns);

// Ends a report, unseen by its readers: so that we know a file of ours again.
inline constexpr std::string_view kMarkdownEnd = "\n<!-- a report of tidegauge -->\n";

void append_row(std::string& out, const std::vector<std::string>& cells);

// The first `texts` columns hold text, the others numbers.
void append_head(std::string& out, const std::vector<std::string>& titles, std::size_t texts);

}  // namespace tidegauge::view
