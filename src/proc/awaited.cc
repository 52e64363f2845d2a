// SPDX-License-Identifier: Apache-2.0
#include "proc/awaited.h"

namespace tidegauge::proc {

namespace {

std::optional<std::string> masked_if(bool secret) {
  return secret ? std::optional<std::string>(kMask) : std::nullopt;
}

std::optional<std::string> shown_pair(std::string_view value) {
  const auto middle = value.find_first_of(":%,");
  if (middle == value.npos || is_option(value)) return {};
  const auto user = value.substr(0, middle);
  const bool is_secret = token_length(user) > 0 || looks_like_key(user);  // curl -u sk_live_…:
  return std::string(is_secret ? kMask : user).append(value.substr(middle, 1)).append(kMask);
}

// No host:port, uid:gid, host:/path, address or time of day: user:password.
bool is_likely_pair(std::string_view value) {
  const auto colon = value.find(':');
  if (colon == value.npos || is_option(value)) return false;
  const auto user = value.substr(0, colon);
  const auto password = value.substr(colon + 1);
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@";
  if (user.find_first_not_of(kOfNames) != user.npos) return false;
  if (password.starts_with("//") || is_path(password)) return false;
  const auto port = password.substr(0, password.find('/'));
  return port.find_first_not_of("0123456789") != port.npos;
}

std::optional<std::string> shown_auth(std::string_view value) {
  // The beginning of a list, an object or a tuple: what is in it is looked at word by word.
  const bool opens = value.find_first_of("{[(") == 0;
  const auto colon = value.find(':');
  if (opens || (colon != value.npos && value.substr(colon).starts_with("://"))) return {};
  if (const auto pair = shown_pair(value)) return pair;
  const bool harmless = is_plain_value(value) || is_path(value) || is_way_to_authenticate(value);
  return std::string(harmless ? value : kMask);
}

}  // namespace

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
    case Secrecy::Auth:
      return Awaited::Auth;
    case Secrecy::Key:
    case Secrecy::Signature:
      return Awaited::Key;
    case Secrecy::BareKey:
      return Awaited::BareKey;
  }
  return Awaited::Secret;
}

Awaited awaited_after(Form form) {
  if (form == Form::Pair) return Awaited::Pair;
  return form == Form::LikelyPair ? Awaited::LikelyPair : Awaited::Secret;
}

std::optional<std::string> shown(Awaited awaited, std::string_view value) {
  switch (awaited) {
    case Awaited::Nothing:
      return {};
    case Awaited::Random:
      return masked_if(looks_random(value));
    case Awaited::Key:
      return masked_if(looks_like_key(value) && !is_path(value));
    case Awaited::BareKey:
      return masked_if(looks_like_short_key(value) && !is_path(value));
    case Awaited::Pair:
      return shown_pair(value);
    case Awaited::LikelyPair:
      return is_likely_pair(value) ? shown_pair(value) : std::nullopt;
    case Awaited::Auth:
      return shown_auth(value);
    case Awaited::Secret:
    case Awaited::File:
      break;
  }
  const bool harmless = is_plain_value(value) || (awaited == Awaited::File && is_path(value));
  return std::string(harmless ? value : kMask);
}

}  // namespace tidegauge::proc
