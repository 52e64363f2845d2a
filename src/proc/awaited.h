// SPDX-License-Identifier: Apache-2.0
// The values of secrets: what is awaited after a name or an option, and what of it may be shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proc/secret_options.h"
#include "proc/secret_words.h"

namespace tidegauge::proc {

inline constexpr std::string_view kMask = "***";

// "--lr" and "-v", but not the number "-1".
bool is_option(std::string_view word);

// What comes next, because of what came before.
enum class Awaited { Nothing, Secret, File, Pair, LikelyPair, Auth, Key, BareKey, Random };
Awaited awaited_after(Secrecy secrecy);
Awaited awaited_after(Form form);

// `value` as it may be shown. Nothing: it is not what was awaited, look at it as at any other word.
std::optional<std::string> shown(Awaited awaited, std::string_view value);

}  // namespace tidegauge::proc
