// SPDX-License-Identifier: Apache-2.0
#include "proc/secret_words.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

// A word that ends in one of these, anywhere in a name, makes it a secret's: PGPASSWORD is one
// word.
constexpr std::string_view kAlways[] = {
    "password",  "passwd",     "passphrase", "passcode",   "secret",    "secrets",     "apikey",
    "authkey",   "accesskey",  "secretkey",  "apitoken",   "authtoken", "accesstoken", "secretid",
    "apisecret", "credential", "masterkey",  "signingkey", "userpass",  "dbpass",      "bearer",
};
// At the end of a name only: pw_conv is a layer of a network.
constexpr std::string_view kAtEnd[] = {"pwd", "pw",     "jwt",     "psk",
                                       "otp", "passin", "passout", "sshpass"};
// A secret, or the file that holds it.
constexpr std::string_view kOrFile[] = {"credentials", "privatekey"};
constexpr std::string_view kHeaders[] = {"authorization", "cookie"};
// "..._key" where the word before it is one of these.
constexpr std::string_view kKeys[] = {
    "api",     "access",   "secret",  "auth",    "encryption", "signing",      "license", "account",
    "master",  "shared",   "session", "service", "hmac",       "subscription", "write",   "client",
    "private", "consumer", "project", "storage", "webhook",    "crypt",        "admin",   "app",
};
// Likewise: services of which one has a single key.
constexpr std::string_view kServices[] = {
    "wandb",   "comet",    "neptune", "openai", "anthropic",   "gemini",
    "mistral", "cohere",   "groq",    "hf",     "huggingface", "replicate",
    "datadog", "pinecone", "ngrok",   "runpod", "tailscale",
};
// "--no-auth" and the like are switches: what follows them is no value of theirs.
constexpr std::string_view kSwitches[] = {"no",      "without", "disable", "skip",
                                          "require", "use",     "enable",  "with"};
// "..._token" is a secret unless the word before it is one of these: then it is a piece of text.
constexpr std::string_view kTextTokens[] = {
    "pad",      "eos",         "bos",         "unk",   "sep",   "cls",    "mask",   "image",
    "video",    "audio",       "stop",        "start", "end",   "per",    "next",   "new",
    "prompt",   "text",        "last",        "max",   "min",   "num",    "eot",    "trigger",
    "instance", "placeholder", "special",     "think", "first", "query",  "vision", "pos",
    "decoder",  "class",       "initializer", "extra", "tool",  "system", "user",
};
// "..._pass" likewise: a run through something.
constexpr std::string_view kPasses[] = {"first", "second", "single",  "one",     "two", "multi",
                                        "per",   "n",      "num",     "max",     "low", "high",
                                        "band",  "by",     "forward", "backward"};
// A name that ends in one of these speaks about a secret and does not hold it.
constexpr std::string_view kAbout[] = {
    "file",     "path",   "dir",       "folder",  "id",        "ids",      "name",     "names",
    "env",      "var",    "host",      "port",    "len",       "length",   "size",     "count",
    "num",      "type",   "types",     "kind",    "store",     "provider", "class",    "field",
    "column",   "prefix", "suffix",    "stdin",   "prompt",    "policy",   "ttl",      "expiry",
    "hint",     "mode",   "format",    "version", "index",     "idx",      "dim",      "budget",
    "limit",    "ratio",  "rate",      "loss",    "prob",      "helper",   "required", "enabled",
    "fraction", "weight", "embedding", "manager", "algorithm",
};

template <class Range, class Item>
bool has(const Range& range, const Item& item) {
  return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

bool ends_in_any(std::string_view word) {
  return std::any_of(std::begin(kAlways), std::end(kAlways),
                     [&](std::string_view secret) { return word.ends_with(secret); });
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) {
  return is_upper(c) || is_lower(c) || is_digit(c);
}

// "--apiKey", "API_KEY" and "api-key" all as api, key.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '\0';
  for (const char c : name) {
    const bool separates = !is_alnum(c);
    if ((separates || (is_upper(c) && is_lower(before))) && !words.back().empty()) {
      words.emplace_back();
    }
    if (!separates) words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

constexpr std::size_t kShortestMade = 20;   // by a program
constexpr std::size_t kShortestTyped = 10;  // by a person

bool is_mixed(std::string_view word) {
  return std::any_of(word.begin(), word.end(), is_digit) &&
         std::any_of(word.begin(), word.end(), [](char c) { return is_upper(c) || is_lower(c); });
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

}  // namespace

Secrecy secrecy_of(std::string_view name) {
  if (name == "PWD" || name == "OLDPWD") return Secrecy::None;
  const auto words = words_of(name);
  if (words.empty()) return Secrecy::None;
  const std::string_view last = words.back();
  const std::string_view before = words.size() > 1 ? words[words.size() - 2] : std::string_view();
  if (last == "id" && before == "secret") return Secrecy::Secret;  // Vault's
  if (has(kAbout, last)) return Secrecy::None;
  if (has(kHeaders, last)) return Secrecy::Header;
  if (std::any_of(words.begin(), words.end(),
                  [](const auto& word) { return has(kOrFile, word); })) {
    return Secrecy::File;
  }
  if (last == "key" && (has(kKeys, before) || has(kServices, before))) return Secrecy::File;
  if (std::any_of(words.begin(), words.end(), ends_in_any)) return Secrecy::Secret;
  if (has(kAtEnd, last)) return Secrecy::Secret;
  if (last == "token" && !has(kTextTokens, before)) return Secrecy::Secret;
  if (last == "word" && before == "pass") return Secrecy::Secret;
  if (last == "pass" && !has(kPasses, before)) return Secrecy::Secret;
  if (last == "key") return before.empty() ? Secrecy::BareKey : Secrecy::Key;
  if (last == "sig" || last == "signature") return Secrecy::Signature;
  if (last == "auth") return has(kSwitches, before) ? Secrecy::Pair : Secrecy::Auth;
  return Secrecy::None;
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

bool is_path(std::string_view value) {
  constexpr std::string_view kEndings[] = {".pem", ".key", ".json", ".crt",
                                           ".txt", ".p12", ".yaml"};
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

bool looks_like_key(std::string_view word) {
  constexpr std::ptrdiff_t kHexDigits = 32;
  constexpr std::string_view kHex = "0123456789abcdefABCDEF";
  const auto digits = std::count_if(word.begin(), word.end(), [&](char c) { return has(kHex, c); });
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
    return is_alnum(c) || c == '+' || c == '/' || c == '=' || c == '_' || c == '-';
  });
  return in_alphabet && is_mixed(word);
}

}  // namespace tidegauge::proc
