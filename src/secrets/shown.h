// SPDX-License-Identifier: Apache-2.0
// How texts from another process's memory may be shown. Names that programmers gave are shown as
// they are; what may be data is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidegauge::secrets {

// Of dicts: those that look like data as their kind and length, or with nothing but secrets masked.
enum class Keys : std::uint8_t { WithoutData, All };

// "train_rows", "layer.0.weight", "step". Not "joe@example.org", "2031-05-11", "ghp_…".
bool is_name_of_code(std::string_view key);

// A key of `length` characters, of which `text` may be the beginning: "'step'", or
// "<str, 40 chars>".
std::string shown_key(std::string_view text, std::uint64_t length, Keys keys);

// The name of a variable, an attribute, a class, a function or a module. Such names may be long and
// numbered; what no program would be written with becomes "<str, 40 chars>".
std::string shown_name(std::string_view name);

}  // namespace tidegauge::secrets
