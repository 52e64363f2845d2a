// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tidegauge {

// Takes the next blank-separated word off the front of `text`; empty at the end.
inline std::string_view next_word(std::string_view& text) {
  const auto start = text.find_first_not_of(" \t\n");
  if (start == std::string_view::npos) return text = {};
  auto end = text.find_first_of(" \t\n", start);
  if (end == std::string_view::npos) end = text.size();
  const auto word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

// Takes the next line off the front of `text`, without its newline.
inline std::string_view next_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// The whole of `word` as a number, or nothing: no sign tricks, no overflow, no tail.
template <class Number>
std::optional<Number> to_number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

// The same of an integer in another base, without a prefix such as 0x.
template <class Integer>
std::optional<Integer> to_number(std::string_view word, int base) {
  Integer value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc{} || end != word.data() + word.size()) return {};
  return value;
}

inline std::string_view trimmed(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n") - start + 1);
}

struct CodePoint {
  char32_t code = 0xFFFD;  // the replacement character where the bytes are no UTF-8
  std::size_t length = 1;  // bytes used
  bool valid = false;
};

// The code point at the front of `text`, which is not empty. Overlong forms, surrogates and values
// beyond U+10FFFF are no UTF-8.
CodePoint first_code_point(std::string_view text);

// ASCII letters in lower case, all other bytes as they are.
std::string lower(std::string_view text);

// Appends `text` as a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD, control
// characters \u00XX, so that a hostile process name cannot break a line or a terminal.
void append_json_string(std::string& out, std::string_view text);

// `text` fit for a terminal: valid UTF-8, control and bidirectional-override characters replaced.
std::string printable(std::string_view text);

}  // namespace tidegauge
