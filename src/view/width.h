// SPDX-License-Identifier: Apache-2.0
// How many terminal columns text takes, and cutting it to fit: by character width, not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidegauge::view {

struct Glyph {
  char32_t code = U' ';
  int columns = 1;  // 1 or 2

  bool operator==(const Glyph&) const = default;
};

// The characters of `text` that take a place on a terminal. Bytes that are no UTF-8 and control
// characters come out as U+FFFD; combining marks, which a name can pile up, are left out.
std::vector<Glyph> glyphs(std::string_view text);

std::size_t columns_of(std::string_view text);

// At most `columns` wide; what was cut is replaced by an ellipsis.
std::string clipped(std::string_view text, std::size_t columns);
// The same for what matters most at its end, as in a path: the middle goes.
std::string clipped_inside(std::string_view text, std::size_t columns);

// Exactly `columns` wide, filled with blanks.
std::string padded_right(std::string_view text, std::size_t columns);
std::string padded_left(std::string_view text, std::size_t columns);

void append_utf8(std::string& out, char32_t code);

}  // namespace tidegauge::view
