// SPDX-License-Identifier: Apache-2.0
#include "view/markdown_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "view/phrases.h"

namespace tidegauge::view {

std::string escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_[]<>#|~&$";
  std::string out;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text, std::size_t columns) {
  auto out = shown(text, columns);
  std::replace(out.begin(), out.end(), '`', '\'');
  std::replace(out.begin(), out.end(), '|', '/');
  // What a page is made from with our text in it may take tags for its own, whatever the quotes.
  for (auto at = out.find_first_of("<>"); at != out.npos; at = out.find_first_of("<>", at)) {
    out.replace(at, 1, out[at] == '<' ? "‹" : "›");
  }
  return out.empty() ? "" : "`" + out + "`";
}

void append_row(std::string& out, const std::vector<std::string>& cells) {
  out += "|";
  for (const auto& cell : cells) out += fmt::format(" {} |", cell);
  out += "\n";
}

void append_head(std::string& out, const std::vector<std::string>& titles, std::size_t texts) {
  append_row(out, titles);
  out += "|";
  for (std::size_t i = 0; i < titles.size(); ++i) out += i < texts ? "---|" : "--:|";
  out += "\n";
}

}  // namespace tidegauge::view
