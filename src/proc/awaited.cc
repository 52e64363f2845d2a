// SPDX-License-Identifier: Apache-2.0
#include "proc/awaited.h"

namespace tidegauge::proc {

bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' || !(word[1] >= '0' && word[1] <= '9'));
}

Awaited awaited_after(Secrecy secrecy) {
  switch (secrecy) {
    case Secrecy::None:
      return Awaited::Nothing;
    case Secrecy::Secret:
    case Secrecy::Header:
      return Awaited::Secret;
    case Secrecy::File:
      return Awaited::File;
    case Secrecy::Pair:
      return Awaited::Pair;
    case Secrecy::Key:
      return Awaited::Key;
  }
  return Awaited::Secret;
}

std::optional<std::string> shown(Awaited awaited, std::string_view value) {
  if (awaited == Awaited::Nothing) return {};
  if (awaited == Awaited::Random) {
    return looks_random(value) ? std::optional<std::string>(kMask) : std::nullopt;
  }
  if (awaited == Awaited::Key) {
    const bool secret = looks_like_key(value) && !is_path(value);
    return secret ? std::optional<std::string>(kMask) : std::nullopt;
  }
  if (awaited == Awaited::Pair) {
    const auto middle = value.find_first_of(":%,");
    if (middle == value.npos || is_option(value)) return {};
    return std::string(value.substr(0, middle + 1)).append(kMask);
  }
  if (is_plain_value(value) || (awaited == Awaited::File && is_path(value))) {
    return std::string(value);
  }
  return std::string(kMask);
}

}  // namespace tidegauge::proc
