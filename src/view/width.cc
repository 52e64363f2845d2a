// SPDX-License-Identifier: Apache-2.0
#include "view/width.h"

#include <clocale>
#include <cwchar>

#include "base/text.h"

namespace tidegauge::view {

namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kEllipsis = 0x2026;

// wcwidth() answers for the current locale, and in the C locale it knows ASCII alone. What a
// character is wide does not depend on the user's language, so we ask in a UTF-8 locale, for this
// thread only and only for as long as we ask.
class InUtf8 {
 public:
  InUtf8() : before_(uselocale(utf8())) {}
  InUtf8(const InUtf8&) = delete;
  InUtf8& operator=(const InUtf8&) = delete;
  ~InUtf8() { uselocale(before_); }

 private:
  // Null where the machine has no such locale: uselocale(null) leaves everything as it is.
  static locale_t utf8() {
    static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return locale;
  }
  locale_t before_;
};

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x7F || static_cast<unsigned char>(c) < 0x20) return false;
  }
  return true;
}

}  // namespace

std::vector<Glyph> glyphs(std::string_view text) {
  std::vector<Glyph> out;
  out.reserve(text.size());
  if (is_ascii(text)) {
    for (const char c : text) out.push_back({static_cast<char32_t>(c), 1});
    return out;
  }
  const InUtf8 scope;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    text.remove_prefix(point.length);
    const int columns = wcwidth(static_cast<wchar_t>(point.code));
    if (columns < 0) {
      out.push_back({kReplacement, 1});
    } else if (columns > 0) {
      out.push_back({point.code, columns});
    }
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t total = 0;
  for (const auto& glyph : glyphs(text)) total += static_cast<std::size_t>(glyph.columns);
  return total;
}

std::string clipped(std::string_view text, std::size_t columns) {
  std::string out;
  if (columns == 0) return out;
  const auto all = glyphs(text);
  std::size_t total = 0;
  for (const auto& glyph : all) total += static_cast<std::size_t>(glyph.columns);
  const std::size_t room = total > columns ? columns - 1 : columns;
  std::size_t used = 0;
  for (const auto& glyph : all) {
    if (used + static_cast<std::size_t>(glyph.columns) > room) break;
    append_utf8(out, glyph.code);
    used += static_cast<std::size_t>(glyph.columns);
  }
  if (total > columns) append_utf8(out, kEllipsis);
  return out;
}

std::string clipped_inside(std::string_view text, std::size_t columns) {
  const auto all = glyphs(text);
  if (columns == 0 || columns_of(text) <= columns) return clipped(text, columns);
  const std::size_t room = columns - 1;
  std::size_t used = 0;
  std::size_t first = all.size();  // of the end that stays: two thirds
  while (first > 0) {
    const auto more = static_cast<std::size_t>(all[first - 1].columns);
    if (used + more > room - room / 3) break;
    used += more;
    --first;
  }
  std::string out;
  for (std::size_t i = 0; i < first; ++i) {
    const auto more = static_cast<std::size_t>(all[i].columns);
    if (used + more > room) break;
    append_utf8(out, all[i].code);
    used += more;
  }
  append_utf8(out, kEllipsis);
  for (std::size_t i = first; i < all.size(); ++i) append_utf8(out, all[i].code);
  return out;
}

std::string padded_right(std::string_view text, std::size_t columns) {
  auto out = clipped(text, columns);
  out.append(columns - columns_of(out), ' ');
  return out;
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const auto out = clipped(text, columns);
  return std::string(columns - columns_of(out), ' ') + out;
}

void append_utf8(std::string& out, char32_t code) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace tidegauge::view
