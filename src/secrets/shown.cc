// SPDX-License-Identifier: Apache-2.0
#include "secrets/shown.h"

#include <algorithm>

#include "base/text.h"
#include "secrets/line.h"
#include "secrets/mask.h"
#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

constexpr std::size_t kLongestKey = 60;
constexpr std::size_t kLongPiece = 16;  // shorter ones cannot be told from names

std::string kind_and_length(std::uint64_t length) {
  return "<str, " + std::to_string(length) + (length == 1 ? " char>" : " chars>");
}

std::uint64_t characters_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Letters and digits between signs: "layer", "conv2d", "0". Not "hunter2x9", "20310511",
// "deadbeef7".
bool is_piece_of_name(std::string_view piece) {
  constexpr int kMostDigits = 4;
  constexpr int kMostGroups = 2;
  int digits = 0, groups = 0, hex = 0, pairs = 0, odd = 0, humps = 0, uppers = 0;
  char before = '\0';
  for (const char c : piece) {
    if (is_digit(c)) {
      ++digits;
      groups += is_digit(before) ? 0 : 1;
    }
    uppers += is_upper(c) ? 1 : 0;
    humps += is_lower(before) && is_upper(c) ? 1 : 0;
    hex += is_digit(c) || (c >= 'a' && c <= 'f') ? 1 : 0;
    if (is_letter(before) && is_letter(c) && !(is_lower(before) && is_upper(c))) {
      ++pairs;
      odd += is_odd_pair(before, c) ? 1 : 0;
    }
    before = c;
  }
  const auto length = static_cast<int>(piece.size());
  constexpr int kLongestNumber = 3;
  if (digits == length) return length <= kLongestNumber;
  if (digits > kMostDigits || groups > kMostGroups) return false;
  constexpr int kShortestHex = 8;
  if (hex == length && length >= kShortestHex && digits > 0) return false;
  const bool mixed = uppers > 0 && uppers + digits < length;
  if (mixed && groups == kMostGroups) return false;  // "Zq8Kx3"
  if (humps * 3 > length) return false;              // "xKqZbTjW"
  constexpr int kLong = 10;                          // "fc", "lstm", "qkv" are too short to tell
  constexpr int kVeryLong = 16;
  if (length >= kVeryLong) return (odd + humps + groups) * 4 <= length;
  if (length >= kLong) return (odd + humps + groups) * 10 <= length * 3;
  constexpr int kFewPairs = 5;
  return pairs < kFewPairs || odd * 5 <= pairs * 2;
}

// Letters, digits and what stands between the parts of names.
template <class IsSign, class Call>
bool for_each_piece(std::string_view text, const IsSign& is_sign, const Call& call) {
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = at;
    while (at < text.size() && is_alnum(text[at])) ++at;
    if (at > begin && !call(text.substr(begin, at - begin))) return false;
    if (at == text.size()) break;
    if (!is_sign(text[at])) return false;
    ++at;
  }
  return true;
}

}  // namespace

bool is_name_of_code(std::string_view key) {
  if (key.empty() || key.size() > kLongestKey) return false;
  const auto slashes = std::count(key.begin(), key.end(), '/');
  const bool digits = std::any_of(key.begin(), key.end(), is_digit);
  // "train/loss", but no path.
  if (slashes > 1 || (slashes == 1 && (digits || key.front() == '/' || key.back() == '/'))) {
    return false;
  }
  std::size_t longest = 0;
  std::size_t all_digits = 0;
  const bool good = for_each_piece(
      key, [](char c) { return c == '_' || c == '.' || c == '-' || c == '/'; },
      [&](std::string_view piece) {
        longest = std::max(longest, piece.size());
        all_digits += static_cast<std::size_t>(std::count_if(piece.begin(), piece.end(), is_digit));
        return is_piece_of_name(piece);
      });
  constexpr std::size_t kMostDigits = 6;  // of dates and numbers of customers more
  if (!good || all_digits > kMostDigits || longest == 0) return false;
  return longest < kLongPiece || masked_text(key) == key;
}

std::string shown_key(std::string_view text, std::uint64_t length, Keys keys) {
  const bool whole = length == characters_in(text);
  if (whole && is_name_of_code(text)) return "'" + std::string(text) + "'";
  // A part of a secret may not look like one.
  if (keys == Keys::WithoutData || !whole) return kind_and_length(length);
  return "'" + masked_text(text) + "'";
}

std::string shown_name(std::string_view name) {
  constexpr std::string_view kSigns = "_.<>[](), -|*;";
  bool may_be_token = false;
  const bool good = for_each_piece(
      name,
      [&](char c) {
        return kSigns.find(c) != kSigns.npos || static_cast<unsigned char>(c) >= 0x80;
      },
      [&](std::string_view piece) {
        may_be_token = may_be_token || piece.size() >= kLongPiece;
        return true;
      });
  if (good && (!may_be_token || masked_text(name) == name)) return std::string(name);
  return kind_and_length(characters_in(name));
}

}  // namespace tidegauge::secrets
