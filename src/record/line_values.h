// SPDX-License-Identifier: Apache-2.0
// The values of a line of JSON, read as what they should be. Those that are something else are
// refused: these throw simdjson_error, which LineReader catches.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidegauge::record {

using Value = simdjson::ondemand::value;

[[noreturn]] void refuse();

std::int64_t read_seconds(Value& value);  // as nanoseconds
std::int64_t read_integer(Value& value);
std::uint64_t read_count(Value& value);
std::uint64_t read_kib(Value& value);  // as bytes
// Nothing where it is null; `kib`: as bytes.
std::optional<std::uint64_t> read_number(Value& value, bool kib);
std::optional<double> read_double(Value& value);
// True if `key` is `field` or `field`_hex, which has the exact bytes; then the text is read.
bool read_text_field(std::string_view key, Value& value, std::string_view field, std::string& text);

}  // namespace tidegauge::record
