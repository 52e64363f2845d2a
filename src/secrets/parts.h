// SPDX-License-Identifier: Apache-2.0
// What of a value must not be shown, because of the name before it and of what it looks like.
#pragma once

#include <optional>
#include <string_view>

#include "secrets/line.h"
#include "secrets/names.h"

namespace tidegauge::secrets {

// Places in `value`. Nothing: it is harmless, or not what the name says; look at it as at any other
// text.
std::optional<Span> secret_part(Secrecy secrecy, std::string_view value);

}  // namespace tidegauge::secrets
