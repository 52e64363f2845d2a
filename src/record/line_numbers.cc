// SPDX-License-Identifier: Apache-2.0
#include "record/line_numbers.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace tidegauge::record {

namespace {

constexpr std::uint64_t kKiB = 1024;
// One byte in 1e-10 KiB: 1 / 1024 has exactly ten decimals.
constexpr std::uint64_t kByteInTenBillionths = 9'765'625;
constexpr std::size_t kKibDecimals = 10;
constexpr std::size_t kSecondDecimals = 9;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

template <class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), end);
}

// "." and the digits of fraction / 10^decimals, without zeros at the end.
void append_fraction(std::string& out, std::uint64_t fraction, std::size_t decimals) {
  std::array<char, 16> digits;
  for (std::size_t i = decimals; i-- > 0; fraction /= 10) {
    digits[i] = static_cast<char>('0' + fraction % 10);
  }
  while (decimals > 0 && digits[decimals - 1] == '0') --decimals;
  out += '.';
  out.append(digits.data(), decimals);
}

struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;  // in units of 10^-decimals
};

std::optional<Decimal> parse_decimal(std::string_view token, std::size_t decimals) {
  const auto point = token.find('.');
  const auto whole = to_number<std::uint64_t>(token.substr(0, point));
  if (!whole) return {};
  if (point == token.npos) return Decimal{*whole, 0};
  auto digits = token.substr(point + 1);
  while (digits.size() > decimals && digits.back() == '0') digits.remove_suffix(1);
  const auto fraction = to_number<std::uint64_t>(digits);
  if (!fraction || digits.size() > decimals) return {};
  std::uint64_t scaled = *fraction;
  for (auto i = digits.size(); i < decimals; ++i) scaled *= 10;
  return Decimal{*whole, scaled};
}

}  // namespace

void append_integer(std::string& out, std::int64_t value) {
  append_number(out, value);
}

void append_count(std::string& out, std::uint64_t value) {
  append_number(out, value);
}

void append_kib(std::string& out, std::uint64_t bytes) {
  append_number(out, bytes / kKiB);
  if (bytes % kKiB != 0) append_fraction(out, bytes % kKiB * kByteInTenBillionths, kKibDecimals);
}

void append_seconds(std::string& out, std::int64_t at_ns) {
  auto size = static_cast<std::uint64_t>(at_ns);
  if (at_ns < 0) {
    out += '-';
    size = 0 - size;
  }
  append_number(out, size / kNsPerSecond);
  if (size % kNsPerSecond != 0) append_fraction(out, size % kNsPerSecond, kSecondDecimals);
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  append_number(out, value);
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  out += '"';
  out += key;
  out += "\":";
  append_json_string(out, text);
  if (simdjson::validate_utf8(text.data(), text.size())) return;
  constexpr char kHex[] = "0123456789abcdef";
  out += ",\"";
  out += key;
  out += "_hex\":\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  out += '"';
}

void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  out += '"';
  out += key;
  out += "\":";
}

void append_text_field(std::string& out, std::string_view key, std::string_view text) {
  if (out.back() != '{') out += ',';
  append_text(out, key, text);
}

std::optional<std::uint64_t> parse_kib(std::string_view token) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto decimal = parse_decimal(token, kKibDecimals);
  if (!decimal || decimal->whole > kMost / kKiB) return {};
  // What jq and the like write anew has seventeen digits: a hair beside the byte it was.
  constexpr std::uint64_t kAHair = kByteInTenBillionths / 100;
  const std::uint64_t bytes = (decimal->fraction + kByteInTenBillionths / 2) / kByteInTenBillionths;
  const std::uint64_t whole = bytes * kByteInTenBillionths;
  const std::uint64_t beside =
      whole > decimal->fraction ? whole - decimal->fraction : decimal->fraction - whole;
  if (beside > kAHair || bytes > kMost - decimal->whole * kKiB) return {};
  return decimal->whole * kKiB + bytes;
}

std::optional<std::int64_t> parse_seconds(std::string_view token) {
  const bool negative = !token.empty() && token[0] == '-';
  if (negative) token.remove_prefix(1);
  const auto decimal = parse_decimal(token, kSecondDecimals);
  constexpr std::uint64_t kMost =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!decimal || decimal->whole > kMost / kNsPerSecond) return {};
  const auto size = decimal->whole * kNsPerSecond + decimal->fraction;
  if (size > kMost + (negative ? 1 : 0)) return {};
  return static_cast<std::int64_t>(negative ? 0 - size : size);
}

std::optional<std::string> parse_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return {};
  std::string out;
  for (; !digits.empty(); digits.remove_prefix(2)) {
    unsigned char byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, byte, 16);
    if (error != std::errc{} || end != digits.data() + 2) return {};
    out += static_cast<char>(byte);
  }
  return out;
}

}  // namespace tidegauge::record
