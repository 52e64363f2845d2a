// SPDX-License-Identifier: Apache-2.0
#include "secrets/values.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "secrets/line.h"

namespace tidegauge::secrets {

namespace {

constexpr std::size_t kShortestMade = 20;   // by a program
constexpr std::size_t kShortestTyped = 10;  // by a person

template <class Range>
bool has(const Range& range, std::string_view item) {
  return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

bool is_mixed(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_digit) &&
         std::any_of(word.begin(), word.end(), is_letter);
}

bool has_mixed_run(std::string_view word, std::size_t shortest) {
  while (!word.empty()) {
    const auto end = std::find_if_not(word.begin(), word.end(), is_alnum);
    const auto length = static_cast<std::size_t>(end - word.begin());
    if (length >= shortest && is_mixed(word.substr(0, length))) return true;
    word.remove_prefix(std::min(length + 1, word.size()));
  }
  return false;
}

char lowered(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_odd_pair(char first, char second) {
  // What follows each letter in English words and in the names that programmers make.
  constexpr std::string_view kFollowing[] = {
      "bcdefghiklmnprstuvwxyz",     // a
      "abceijlnorstuy",             // b
      "acehiklnorstuyp",            // c
      "adegilmnoruvwsyb",           // d
      "abcdefghiklmnopqrstuvwxyz",  // e
      "aefilortuypn",               // f
      "aeghilnorsuypt",             // g
      "aeioruytnmd",                // h
      "abcdefgklmnopqrstvxz",       // i
      "aeoups",                     // j
      "aeilnosuywbp",               // k
      "abcdefgiklmopqrstuvyx",      // l
      "abcdeimnopsuytlx",           // m
      "acdefgijklmnopqrstuvxyz",    // n
      "abcdefghiklmnoprstuvwxy",    // o
      "aehiklmoprstuyx",            // p
      "ukr",                        // q
      "abcdefgiklmnoprstuvxyw",     // r
      "acdefghiklmnopqrstuvwy",     // s
      "acefghilmnorstuwyxp",        // t
      "abcdefgilmnopqrstvx",        // u
      "aeiouym",                    // v
      "aehilnorsd",                 // w
      "aceiptym",                   // x
      "aelmnoprstdi",               // y
      "aeiouyz",                    // z
  };
  return kFollowing[lowered(first) - 'a'].find(lowered(second)) == std::string_view::npos;
}

bool is_plain_value(std::string_view value) {
  constexpr std::string_view kPlain[] = {"",   "true", "false", "True", "False", "yes",
                                         "no", "none", "None",  "null", "on",    "off",
                                         "0",  "1",    "2",     "auto", "***"};
  if (has(kPlain, value)) return true;
  if (!value.starts_with('$')) return false;
  value.remove_prefix(1);  // a variable that a shell will fill in
  if (value.starts_with('{') && value.ends_with('}')) value = value.substr(1, value.size() - 2);
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return is_upper(c) || is_digit(c) || c == '_';
  });
}

bool is_way_to_authenticate(std::string_view value) {
  constexpr std::string_view kWays[] = {
      "basic",    "digest",    "bearer",    "token",  "negotiate", "ntlm",     "kerberos",
      "krb5",     "gssapi",    "gss",       "sspi",   "spnego",    "oauth",    "oauth2",
      "oidc",     "saml",      "sasl",      "ldap",   "pam",       "radius",   "munge",
      "md5",      "scram",     "sha256",    "plain",  "login",     "cram-md5", "scram-sha-256",
      "password", "trust",     "peer",      "ident",  "reject",    "cert",     "certificate",
      "tls",      "mtls",      "ssl",       "ssh",    "key",       "apikey",   "api-key",
      "jwt",      "publickey", "iam",       "aws",    "sigv4",     "gcp",      "google",
      "azure",    "local",     "anonymous", "simple", "default",   "required", "optional",
      "enabled",  "disabled",
  };
  return has(kWays, lower(value));
}

bool is_scheme(std::string_view word) {
  constexpr std::string_view kSchemes[] = {"Bearer", "bearer", "Basic", "basic",
                                           "Token",  "token",  "Digest"};
  return has(kSchemes, word);
}

bool is_path(std::string_view value) {
  constexpr std::string_view kEndings[] = {".pem",  ".key", ".json", ".crt", ".txt", ".p12",
                                           ".yaml", ".yml", ".pub",  ".asc", ".csv", ".ini"};
  if (std::any_of(std::begin(kEndings), std::end(kEndings),
                  [&](std::string_view ending) { return value.ends_with(ending); })) {
    return true;
  }
  if (value.starts_with("~/") || value.starts_with("./") || value.starts_with("../")) return true;
  if (!value.starts_with('/')) return false;
  const auto slash = value.find('/', 1);
  const auto first = value.substr(1, slash == std::string_view::npos ? slash : slash - 1);
  return !first.empty() && std::all_of(first.begin(), first.end(), is_lower);
}

bool is_number(std::string_view value) {
  return value.find_first_not_of("0123456789.:,-+xe") == value.npos;
}

bool looks_like_key(std::string_view word) {
  constexpr std::ptrdiff_t kHexDigits = 32;
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  const auto digits =
      std::count_if(word.begin(), word.end(), [&](char c) { return kHex.find(c) != kHex.npos; });
  const auto dashes = std::count(word.begin(), word.end(), '-');
  if (digits >= kHexDigits && digits + dashes == std::ssize(word)) return true;
  return has_mixed_run(word, kShortestMade);
}

bool looks_like_short_key(std::string_view word) {
  return looks_like_key(word) || has_mixed_run(word, kShortestTyped);
}

bool looks_random(std::string_view word) {
  if (word.size() < kShortestMade) return false;
  const bool in_alphabet = std::all_of(word.begin(), word.end(), [](char c) {
    return is_alnum(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-' || c == '.';
  });
  return in_alphabet && is_mixed(word) && has_mixed_run(word, kShortestTyped);
}

bool is_random(std::string_view word) {
  constexpr std::size_t kFew = 2;
  std::size_t uppers = 0, lowers = 0, digits = 0, letters = 0, odd = 0, changes = 0;
  char before = '\0';
  for (const char c : word) {
    uppers += is_upper(c) ? 1 : 0;
    lowers += is_lower(c) ? 1 : 0;
    digits += is_digit(c) ? 1 : 0;
    if (is_letter(before) && is_letter(c)) {
      ++letters;
      odd += is_odd_pair(before, c) ? 1 : 0;
    }
    // Upper to lower begins a word of a name in camel case; all else is a change of kind.
    const bool change = (is_lower(before) && is_upper(c)) || (is_digit(before) && is_letter(c)) ||
                        (is_letter(before) && is_digit(c));
    changes += change ? 1 : 0;
    before = c;
  }
  const auto length = uppers + lowers + digits;
  // The names of keys, "AKIA…": no lower case, but neither a hash nor a date.
  constexpr std::size_t kShortestUpper = 16;
  constexpr std::size_t kSomeDigits = 3;
  if (lowers == 0 && length == word.size() && length >= kShortestUpper && digits >= kSomeDigits &&
      word.find_first_of("GHIJKLMNOPQRSTUVWXYZ") != word.npos) {
    return odd * 5 + changes * 5 > letters + length && changes * 5 > length;
  }
  if (length < kShortestMade || uppers < kFew || lowers < kFew) return false;
  if (digits == 0 && odd * 5 <= letters * 2) return false;
  // In random ones half of the letters follow each other oddly, and the kind changes at two of five
  // characters; in names hardly any, and one of seven.
  return odd * 5 + changes * 5 > letters + length && changes * 5 > length;
}

bool is_typed_password(std::string_view word) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kLongest = 40;
  constexpr std::string_view kSigns = "!#^$";
  if (word.size() < kShortest || word.size() > kLongest || word[0] == '$' || word[0] == '#' ||
      word[0] == '!') {
    return false;
  }
  const auto is_sign = [&](char c) { return kSigns.find(c) != kSigns.npos; };
  const bool in_alphabet = std::all_of(word.begin(), word.end(), [&](char c) {
    return is_alnum(c) || is_sign(c) || c == '-' || c == '_' || c == '@' || c == '%' || c == '*' ||
           c == '+';
  });
  return in_alphabet && std::any_of(word.begin(), word.end(), is_sign) &&
         std::any_of(word.begin(), word.end(), is_upper) &&
         std::any_of(word.begin(), word.end(), is_lower) &&
         std::any_of(word.begin(), word.end(), is_digit);
}

bool looks_typed(std::string_view word) {
  constexpr std::size_t kShortest = 6;
  constexpr std::string_view kSpecial = "!@#$%^&*+?~";
  if (word.size() < kShortest || is_option(word) || is_number(word) || is_plain_value(word)) {
    return false;
  }
  // Addresses, paths, lists, options with a value, names of files and hosts.
  if (word.find_first_of("/:=,()[]{}<>|\\ ") != word.npos || is_path(word)) return false;
  const bool special = word.find_first_of(kSpecial) != word.npos;
  const auto sign = word.find('@');
  if (sign != word.npos && word.find('.', sign) != word.npos) return false;  // an e-mail address
  if (word.find('.') != word.npos && !special) return false;
  const bool letter = std::any_of(word.begin(), word.end(), is_letter);
  const bool digit = std::any_of(word.begin(), word.end(), is_digit);
  return letter && (digit || special);
}

}  // namespace tidegauge::secrets
