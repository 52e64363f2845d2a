// SPDX-License-Identifier: Apache-2.0
#include "secrets/parts.h"

#include <algorithm>

#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

std::optional<Span> all_if(bool secret, std::string_view value) {
  return secret && !value.empty() ? std::optional<Span>({0, value.size()}) : std::nullopt;
}

// user:password, user%password
std::optional<Span> part_of_pair(std::string_view value) {
  const auto middle = value.find_first_of(":%");
  if (middle == value.npos || is_option(value)) return {};
  const auto user = value.substr(0, middle);
  const bool all = token_length(user) > 0 || looks_like_key(user);  // curl -u sk_live_…:
  const Span part{all ? 0 : middle + 1, value.size()};
  if (value.substr(part.begin) == kMask) return {};
  return part.begin < part.end ? std::optional(part) : std::nullopt;
}

// No host:port, uid:gid, group:group, host:/path, address or time of day: user:password.
bool is_likely_pair(std::string_view value) {
  const auto percent = value.find('%');
  if (percent != value.npos && looks_typed(value.substr(percent + 1))) return true;
  const auto colon = value.find(':');
  if (colon == value.npos || is_option(value)) return false;
  const auto user = value.substr(0, colon);
  const auto password = value.substr(colon + 1);
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@";
  if (user.find_first_not_of(kOfNames) != user.npos) return false;
  if (password.starts_with("//") || is_path(password) || password == user) return false;
  const auto port = password.substr(0, password.find('/'));
  return port.find_first_not_of("0123456789") != port.npos;
}

std::optional<Span> part_of_auth(std::string_view value) {
  // The beginning of a list, an object or a tuple: what is in it is looked at by itself.
  const bool opens = value.find_first_of("{[(") == 0;
  const auto colon = value.find(':');
  if (opens || is_path(value.substr(0, colon)) ||
      (colon != value.npos && value.substr(colon).starts_with("://")))
    return {};
  if (const auto pair = part_of_pair(value)) return pair;
  if (value.ends_with(kMask)) return {};
  const bool harmless =
      is_plain_value(value) || is_path(value) || is_way_to_authenticate(value) || is_number(value);
  return all_if(!harmless, value);
}

// client.pem:password
std::optional<Span> part_of_certificate(std::string_view value) {
  const auto colon = value.rfind(':');
  if (colon == value.npos || colon == 0 || colon + 1 == value.size()) return {};
  const auto rest = value.substr(colon + 1);
  if (is_path(rest) || rest.find('/') != rest.npos) return {};
  return Span{colon + 1, value.size()};
}

std::optional<Span> part_of_cookie(std::string_view value) {
  const auto sign = value.find('=');
  if (sign == value.npos) return all_if(looks_random(value), value);
  if (is_path(value) || sign + 1 == value.size() || value.substr(sign + 1) == kMask) return {};
  return Span{sign + 1, value.size()};
}

// "pass:secret" of openssl, "Bearer secret"
std::size_t word_before_secret(std::string_view value) {
  if (value.starts_with("pass:")) return 5;
  const auto blank = value.find(' ');
  return blank != value.npos && is_scheme(value.substr(0, blank)) ? blank + 1 : 0;
}

bool is_pin(std::string_view value) {
  constexpr std::size_t kShortest = 4;
  return value.size() >= kShortest && value != "True" && value != "true" && value != "False" &&
         value != "false" && value.find_first_of("/:=,. ") == value.npos &&
         std::any_of(value.begin(), value.end(), is_digit);
}

// "***", in whatever quotes and brackets.
bool is_hidden_already(std::string_view value) {
  return value.find(kMask) != value.npos && std::none_of(value.begin(), value.end(), is_alnum);
}

}  // namespace

std::optional<Span> secret_part(Secrecy secrecy, std::string_view value) {
  if (is_hidden_already(value)) return {};
  switch (secrecy) {
    case Secrecy::None:
      return {};
    case Secrecy::Key:
    case Secrecy::Signature:
      return all_if((looks_like_key(value) || is_random(value)) && !is_path(value), value);
    case Secrecy::BareKey:
      return all_if((looks_like_short_key(value) || is_random(value)) && !is_path(value), value);
    case Secrecy::Pair:
      return part_of_pair(value);
    case Secrecy::LikelyPair:
      return is_likely_pair(value) ? part_of_pair(value) : std::nullopt;
    case Secrecy::Auth:
      return part_of_auth(value);
    case Secrecy::Certificate:
      return part_of_certificate(value);
    case Secrecy::Cookie:
      return part_of_cookie(value);
    case Secrecy::Pin:
      return all_if(is_pin(value), value);
    case Secrecy::Secret:
    case Secrecy::File:
    case Secrecy::Header:
    case Secrecy::Words:
      break;
  }
  if (is_plain_value(value)) return {};
  if (secrecy == Secrecy::File &&
      is_path(value.substr(std::min(value.find_first_not_of("\\\"'"), value.size()))))
    return {};
  const auto begin = word_before_secret(value);
  if (value.substr(begin) == kMask || begin == value.size()) return {};
  return Span{begin, value.size()};
}

}  // namespace tidegauge::secrets
