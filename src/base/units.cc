// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace tidegauge {

namespace {

constexpr const char* kNoBreakSpace = "\u00A0";

// Splits "1.5gib" into its number and what follows it.
struct Quantity {
  double number = 0;
  std::string unit;
};

std::optional<Quantity> split(std::string_view text) {
  text = trimmed(text);
  const auto end = text.find_first_not_of("0123456789.");
  const auto digits = text.substr(0, end);
  const auto number = to_number<double>(digits);
  if (!number || digits.empty()) return {};
  return Quantity{*number, lower(trimmed(end == text.npos ? "" : text.substr(end)))};
}

std::optional<double> byte_multiple(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgtp";
  if (unit.empty() || unit == "b" || unit == "byte" || unit == "bytes") return 1.0;
  const auto power = kPrefixes.find(unit[0]);
  if (power == kPrefixes.npos) return {};
  const auto tail = unit.substr(1);
  const auto exponent = static_cast<double>(power + 1);
  if (tail.empty() || tail == "i" || tail == "ib") return std::pow(1024.0, exponent);
  if (tail == "b") return std::pow(1000.0, exponent);
  return {};
}

std::optional<double> second_multiple(std::string_view unit) {
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit == "sec" || unit == "second" || unit == "seconds") return 1.0;
  if (unit == "m" || unit == "min" || unit == "minute" || unit == "minutes") return 60.0;
  if (unit == "h" || unit == "hour" || unit == "hours") return 3600.0;
  if (unit == "d" || unit == "day" || unit == "days") return 86400.0;
  return {};
}

// Three significant digits without an exponent: 0.123, 1.23, 12.3, 123, 1020.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size == 0 ? 0 : 2;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = bytes;
  std::size_t unit = 0;
  while (std::fabs(value) >= 1023.5 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}{}B", std::round(value) + 0.0, kNoBreakSpace);
  return three_digits(value) + kNoBreakSpace + kUnits[unit];
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "for ever";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds >= 0.0005 && seconds < 0.0995) {
    return fmt::format("{:.0f}{}ms", seconds * 1e3, kNoBreakSpace);
  }
  if (seconds < 9.95) return fmt::format("{:.1f}{}s", seconds, kNoBreakSpace);
  auto rest = static_cast<long long>(std::llround(seconds));
  struct Unit {
    long long size;
    const char* name;
  };
  constexpr Unit kUnits[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
  for (std::size_t i = 0; i < std::size(kUnits); ++i) {
    if (rest < kUnits[i].size) continue;
    auto out = fmt::format("{}{}{}", rest / kUnits[i].size, kNoBreakSpace, kUnits[i].name);
    rest %= kUnits[i].size;
    if (i + 1 < std::size(kUnits) && rest / kUnits[i + 1].size > 0) {
      out += fmt::format(" {}{}{}", rest / kUnits[i + 1].size, kNoBreakSpace, kUnits[i + 1].name);
    }
    return out;
  }
  return fmt::format("0{}s", kNoBreakSpace);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return {};
  const auto multiple = byte_multiple(quantity->unit);
  if (!multiple) return {};
  const double bytes = quantity->number * *multiple;
  if (!(bytes >= 0) || bytes > 9e18) return {};
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::optional<double> parse_duration(std::string_view text) {
  text = trimmed(text);
  if (const auto plain = to_number<double>(text); plain && *plain >= 0 && std::isfinite(*plain)) {
    return *plain;
  }
  double total = 0;
  if (text.empty()) return {};
  while (!text.empty()) {
    const auto unit_at = text.find_first_not_of("0123456789.");
    if (unit_at == text.npos || unit_at == 0) return {};
    auto end = text.find_first_of("0123456789", unit_at);
    if (end == text.npos) end = text.size();
    const auto part = split(text.substr(0, end));
    if (!part) return {};
    const auto multiple = second_multiple(part->unit);
    if (!multiple) return {};
    total += part->number * *multiple;
    text = trimmed(text.substr(end));
  }
  if (!std::isfinite(total)) return {};
  return total;
}

}  // namespace tidegauge
