// SPDX-License-Identifier: Apache-2.0
// Moments as people write them into files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tidegauge::record {

struct Moment {
  double number = 0;         // as written, in the column's unit
  std::int64_t unix_ns = 0;  // where `is_date`
  bool is_date = false;
};

// "12.5", or ISO 8601: "2024-05-01T12:34:56.789Z", a blank for the T, any offset, none (UTC).
// Nothing if it is neither, or not finite.
std::optional<Moment> parse_moment(std::string_view text);

// Nanoseconds since 1970 of an ISO 8601 date and time.
std::optional<std::int64_t> parse_iso8601(std::string_view text);

// A number as CSV has them: a leading + is allowed, and a decimal comma where commas do not
// separate. Nothing if it is none or not finite.
std::optional<double> parse_csv_number(std::string_view cell, char separator);

}  // namespace tidegauge::record
