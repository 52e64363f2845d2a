// SPDX-License-Identifier: Apache-2.0
#include "record/line_values.h"

#include <utility>

#include "base/text.h"
#include "record/line_numbers.h"

namespace tidegauge::record {

namespace {

template <class T>
T need(std::optional<T> value) {
  if (!value) refuse();
  return *std::move(value);
}

std::string_view token_of(Value& value) {
  return trimmed(value.raw_json_token());
}

}  // namespace

void refuse() {
  throw simdjson::simdjson_error(simdjson::INCORRECT_TYPE);
}

std::int64_t read_seconds(Value& value) {
  return need(parse_seconds(token_of(value)));
}

std::int64_t read_integer(Value& value) {
  return need(to_number<std::int64_t>(token_of(value)));
}

std::uint64_t read_count(Value& value) {
  return need(to_number<std::uint64_t>(token_of(value)));
}

std::uint64_t read_kib(Value& value) {
  return need(parse_kib(token_of(value)));
}

std::optional<std::uint64_t> read_number(Value& value, bool kib) {
  const auto token = token_of(value);
  if (token == "null") return {};
  return need(kib ? parse_kib(token) : to_number<std::uint64_t>(token));
}

std::optional<double> read_double(Value& value) {
  const auto token = token_of(value);
  if (token == "null") return {};
  if (token.empty() || (token[0] != '-' && (token[0] < '0' || token[0] > '9'))) refuse();
  return need(to_number<double>(token));
}

bool read_text_field(std::string_view key, Value& value, std::string_view field,
                     std::string& text) {
  if (key.substr(0, field.size()) != field) return false;
  const auto rest = key.substr(field.size());
  if (!rest.empty() && rest != "_hex") return false;
  const std::string_view word = value.get_string();
  text = rest.empty() ? std::string(word) : need(parse_hex(word));
  return true;
}

}  // namespace tidegauge::record
