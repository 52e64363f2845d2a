// SPDX-License-Identifier: Apache-2.0
// Numbers and texts of a recording's lines, exact both ways: KiB and seconds have as many decimals
// as the bytes and nanoseconds behind them need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::record {

void append_integer(std::string& out, std::int64_t value);
void append_count(std::string& out, std::uint64_t value);
void append_kib(std::string& out, std::uint64_t bytes);     // 4096 as 4, 100 as 0.09765625
void append_seconds(std::string& out, std::int64_t at_ns);  // 1500000000 as 1.5
void append_double(std::string& out, double value);         // shortest; null if not finite
// `"key":"text"` and, if the text is no UTF-8, `,"key_hex":"6162ff"` with its exact bytes.
void append_text(std::string& out, std::string_view key, std::string_view text);

// A key in an object that is being written, with the comma before it where it is not the first.
void append_key(std::string& out, std::string_view key);
void append_text_field(std::string& out, std::string_view key, std::string_view text);

// Of a JSON number as it stands in the text. Nothing if it is negative, too large, or finer than a
// byte or a nanosecond.
std::optional<std::uint64_t> parse_kib(std::string_view token);
std::optional<std::int64_t> parse_seconds(std::string_view token);
std::optional<std::string> parse_hex(std::string_view digits);

}  // namespace tidegauge::record
