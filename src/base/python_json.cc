// SPDX-License-Identifier: Apache-2.0
#include "base/python_json.h"

#include <algorithm>
#include <cstddef>

namespace tidegauge {

namespace {

// Where the string that begins `text` ends: behind its quote, or with the text.
std::size_t string_end(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

bool ends_word(char c) {
  constexpr std::string_view kEnds = " \t\r\n,:[]{}\"";
  return kEnds.find(c) != kEnds.npos;
}

std::size_t word_end(std::string_view text) {
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), ends_word) - text.begin());
}

bool is_no_json_number(std::string_view word) {
  return word == "NaN" || word == "Infinity" || word == "-Infinity";
}

}  // namespace

std::string python_json_as_json(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool quoted = text[0] == '"';
    const auto length = quoted ? string_end(text) : std::max<std::size_t>(word_end(text), 1);
    const auto word = text.substr(0, length);
    out += is_no_json_number(word) ? "null" : word;
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace tidegauge
