// SPDX-License-Identifier: Apache-2.0
#include "view/ink.h"

#include <fmt/format.h>

#include "base/text.h"
#include "view/phrases.h"
#include "view/width.h"

namespace tidegauge::view {

namespace {

// From the 256 colours that nearly every terminal has: apart for colour-blind eyes too.
constexpr int kGood = 79;
constexpr int kWait = 214;
constexpr int kBad = 209;

int colour_of(Tone tone) {
  return tone == Tone::Good ? kGood : tone == Tone::Wait ? kWait : kBad;
}

// Green, yellow and red of the eight.
int colour8_of(Tone tone) {
  return tone == Tone::Good ? 2 : tone == Tone::Wait ? 3 : 1;
}

}  // namespace

std::string Ink::bold(std::string_view text) const {
  return colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

std::string Ink::dim(std::string_view text) const {
  return colour && !few ? fmt::format("\x1b[38;5;245m{}\x1b[0m", text) : std::string(text);
}

std::string Ink::tinted(Tone tone, std::string_view text) const {
  if (!colour) return std::string(text);
  if (few) return fmt::format("\x1b[3{}m{}\x1b[0m", colour8_of(tone), text);
  return fmt::format("\x1b[38;5;{}m{}\x1b[0m", colour_of(tone), text);
}

std::string Ink::tag(Tone tone, std::string_view text) const {
  if (!colour) return upper_case(text) + ":";
  if (few) return fmt::format("\x1b[30;4{}m {} \x1b[0m", colour8_of(tone), upper_case(text));
  return fmt::format("\x1b[1;38;5;16;48;5;{}m {} \x1b[0m", colour_of(tone), upper_case(text));
}

std::string with_plain_blanks(std::string text) {
  constexpr std::string_view kNoBreakSpace = "\u00A0";
  for (auto at = text.find(kNoBreakSpace); at != text.npos; at = text.find(kNoBreakSpace, at)) {
    text.replace(at, kNoBreakSpace.size(), 1, ' ');
  }
  return text;
}

char32_t ascii_for(char32_t code) {
  if (code < 0x80) return code;
  switch (code) {
    case 0x00A0:
      return ' ';
    case 0x00B7:  // ·
    case 0x2013:  // –
    case 0x2014:  // —
    case 0x2500:  // ─
      return '-';
    case 0x201C:  // “
    case 0x201D:  // ”
      return '"';
    case 0x2018:  // ‘
    case 0x2019:  // ’
      return '\'';
    case 0x2026:  // …
      return '~';
    case 0x25B8:  // ▸
      return '>';
    case 0x25BE:  // ▾
      return 'v';
    case 0x25AA:  // ▪
      return '#';
    case 0x00B1:  // ±
      return '+';
    default:
      return '?';
  }
}

std::string to_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto point = first_code_point(text);
    const auto one = static_cast<char>(ascii_for(point.code));
    // As wide as it was; line ends and escape sequences pass as they are.
    out.append(point.code < 0x80 ? 1 : columns_of(text.substr(0, point.length)), one);
    text.remove_prefix(point.length);
  }
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0;
  while (true) {
    const auto word = next_word(text);
    if (word.empty()) break;
    const auto wide = columns_of(word);
    if (used > 0 && used + 1 + wide > columns) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    if (used > 0) line += ' ';
    const auto part = clipped(word, columns);
    line += part;
    used += (used > 0 ? 1 : 0) + columns_of(part);
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace tidegauge::view
