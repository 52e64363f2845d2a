// SPDX-License-Identifier: Apache-2.0
// A command line taken apart: its arguments, the words in them, and the places that must be hidden.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::secrets {

inline constexpr std::string_view kMask = "***";

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Of a command line: an argument without blanks is one word; a script is split as a shell would,
// without its quotes.
struct Word {
  Span place{};
  std::size_t argument = 0;
  bool whole = false;  // the argument is nothing else
};

struct Line {
  std::string text{};  // the arguments joined by blanks
  std::vector<Span> arguments{};
  std::vector<Word> words{};

  std::string_view of(Span place) const {
    return std::string_view(text).substr(place.begin, place.end - place.begin);
  }
  std::string_view word(std::size_t index) const { return of(words[index].place); }
};

// Of the first `most` bytes of `arguments`.
Line line_of(const std::vector<std::string>& arguments, std::size_t most);

// The argument is a program's text: it follows -c, -e or the like, or has several statements.
bool is_code(const Line& line, std::size_t argument);

// The place of what follows a word: all of the next argument, or the next word of a script.
std::optional<Span> next_value(const Line& line, std::size_t word);

// What stands in a line and must not be shown.
class Hidden {
 public:
  void add(Span place) {
    if (place.begin < place.end) places_.push_back(place);
  }
  // `text` with each place replaced by ***, as one where they touch.
  std::string applied_to(std::string_view text);

 private:
  std::vector<Span> places_;
};

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
inline bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
inline bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
inline bool is_letter(char c) {
  return is_upper(c) || is_lower(c);
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_alnum(char c) {
  return is_letter(c) || is_digit(c);
}
// Of the name of an option, a variable or a field.
inline bool is_name(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

// "--lr" and "-v", but not the number "-1".
inline bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_digit(word[1]);
}

// What follows the last slash.
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::size_t skip_blanks(std::string_view text, std::size_t at);

}  // namespace tidegauge::secrets
