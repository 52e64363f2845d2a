// SPDX-License-Identifier: Apache-2.0
#include "record/csv_time.h"

#include <chrono>
#include <cmath>
#include <string>

#include "base/text.h"

namespace tidegauge::record {

namespace {

// Takes a number of exactly `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return {};
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == any_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Nanoseconds in 64 bits end in 2262.
  if (!date.ok() || *year < 1700 || *year > 2200) return {};
  return std::chrono::sys_days(date);
}

// ".789" or ",789" in nanoseconds, if there is one.
std::optional<std::int64_t> take_fraction(std::string_view& text) {
  if (!take(text, ".,")) return 0;
  std::int64_t ns = 0;
  std::int64_t unit = 100'000'000;
  bool any = false;
  while (const auto digit = take_digits(text, 1)) {
    ns += *digit * unit;
    unit /= 10;
    any = true;
  }
  if (!any) return {};
  return ns;
}

// "12:34", "12:34:56" and a fraction, in nanoseconds.
std::optional<std::int64_t> take_time_of_day(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 24 || !take(text, ":")) return {};
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return {};
  std::optional<int> second = 0;
  std::optional<std::int64_t> fraction = 0;
  if (take(text, ":")) {
    second = take_digits(text, 2);
    if (!second || *second > 60) return {};
    fraction = take_fraction(text);
    if (!fraction) return {};
  }
  return (*hour * 3600ll + *minute * 60ll + *second) * 1'000'000'000ll + *fraction;
}

// "Z", "+02:00", "-0530", "+02", or nothing for UTC. In seconds.
std::optional<std::int64_t> take_offset(std::string_view& text) {
  if (text.empty() || take(text, "Zz")) return 0;
  const bool west = text[0] == '-';
  if (!take(text, "+-")) return {};
  const auto hours = take_digits(text, 2);
  if (!hours || *hours > 23) return {};
  std::optional<int> minutes = 0;
  if (!text.empty()) {
    take(text, ":");
    minutes = take_digits(text, 2);
    if (!minutes || *minutes > 59) return {};
  }
  const std::int64_t seconds = *hours * 3600ll + *minutes * 60ll;
  return west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int64_t> parse_iso8601(std::string_view text) {
  const auto date = take_date(text);
  if (!date) return {};
  std::optional<std::int64_t> time = 0;
  std::optional<std::int64_t> offset = 0;
  if (take(text, "Tt ")) {
    time = take_time_of_day(text);
    if (!time) return {};
    take(text, " ");
    offset = take_offset(text);
  }
  if (!offset || !text.empty()) return {};
  const std::int64_t days = date->time_since_epoch().count();
  return days * 86400ll * 1'000'000'000ll + *time - *offset * 1'000'000'000ll;
}

std::optional<double> parse_csv_number(std::string_view cell, char separator) {
  if (!cell.empty() && cell[0] == '+') cell.remove_prefix(1);
  if (!cell.empty() && cell[0] == '+') return {};
  std::optional<double> value;
  const auto comma = cell.find(',');
  constexpr std::size_t kLongestNumber = 400;  // digits of the largest double, and some
  if (separator != ',' && comma != cell.npos && cell.size() < kLongestNumber) {
    std::string with_point(cell);
    with_point[comma] = '.';
    value = to_number<double>(with_point);
  } else {
    value = to_number<double>(cell);
  }
  if (!value || !std::isfinite(*value)) return {};
  return value;
}

std::optional<Moment> parse_moment(std::string_view text) {
  if (const auto number = parse_csv_number(text, ';')) return Moment{.number = *number};
  if (const auto ns = parse_iso8601(text)) return Moment{.unix_ns = *ns, .is_date = true};
  return {};
}

}  // namespace tidegauge::record
