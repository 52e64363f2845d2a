// SPDX-License-Identifier: Apache-2.0
// Text for a terminal that may have colour, and may have nothing beyond ASCII.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/words.h"

namespace tidegauge::view {

struct Ink {
  bool colour = false;
  bool few = false;  // of the colours: the eight that every terminal has which has any

  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
  std::string tinted(Tone tone, std::string_view text) const;
  std::string tag(Tone tone, std::string_view text) const;  // " NOT A LEAK "
};

// Blanks for no-break spaces: for a file or a pipe, in which people search.
std::string with_plain_blanks(std::string text);

// Blanks for no-break spaces, "~" for an ellipsis, "?" for what ASCII cannot say: one for one, so
// that columns stay columns.
std::string to_ascii(std::string_view text);
char32_t ascii_for(char32_t code);

// Lines of at most `columns` columns, broken at blanks (never at no-break spaces).
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace tidegauge::view
