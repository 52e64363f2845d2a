// SPDX-License-Identifier: Apache-2.0
// Profile lines. Each is whole: nothing is carried forward from the one before.
#pragma once

#include <simdjson.h>

#include <string>

#include "record/profile.h"

namespace tidegauge::record {

// A stack deeper than this is no stack of calls: whoever shows it walks down all of it.
inline constexpr std::size_t kDeepestStack = 1024;

// With its newline. A site that names a place that is not there is left out: nobody could read it.
void append_profile(std::string& out, const Profile& profile);

// Throws simdjson_error for values that are not what they should be; LineReader catches it.
Profile read_profile(simdjson::ondemand::object& line);

}  // namespace tidegauge::record
