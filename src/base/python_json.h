// SPDX-License-Identifier: Apache-2.0
// JSON as Python writes it: json.dump has names for the floats that JSON has no number for.
#pragma once

#include <string>
#include <string_view>

namespace tidegauge {

// `text` with null for each NaN, Infinity and -Infinity that stands for a value. Lines stay where
// they are, strings as they are; what is no JSON even so is not made into any.
std::string python_json_as_json(std::string_view text);

}  // namespace tidegauge
