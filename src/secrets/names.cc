// SPDX-License-Identifier: Apache-2.0
#include "secrets/names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "secrets/line.h"

namespace tidegauge::secrets {

namespace {

// No name without one of these letters in it says anything: most names end here.
constexpr std::string_view kStems[] = {
    "pass", "pw",     "secret", "token", "key",      "auth", "cred",   "pin",     "otp",  "code",
    "mnem", "phrase", "cookie", "sess",  "sid",      "cert", "sig",    "login",   "user", "psk",
    "jwt",  "bearer", "pat",    "words", "kennwort", "seed", "motdep", "contras",
};
// A word that ends in one of these, anywhere in a name, makes it a secret's: PGPASSWORD is one
// word.
constexpr std::string_view kAlways[] = {
    "password",  "passwd",     "passphrase", "passcode",   "secret",     "secrets",     "apikey",
    "authkey",   "accesskey",  "secretkey",  "apitoken",   "authtoken",  "accesstoken", "secretid",
    "apisecret", "credential", "masterkey",  "signingkey", "userpass",   "dbpass",      "bearer",
    "passwords", "passwort",   "kennwort",   "motdepasse", "contrasena",
};
// At the end of a name only: pw_conv is a layer of a network.
constexpr std::string_view kAtEnd[] = {"pwd",     "pw",      "jwt", "psk", "otp",    "passin",
                                       "passout", "sshpass", "upw", "opw", "rootpw", "userpw"};
// A secret, or the file that holds it.
constexpr std::string_view kOrFile[] = {"credentials", "privatekey", "secrets", "passwords"};
constexpr std::string_view kHeaders[] = {"authorization", "cookie"};
// "..._key" where the word before it is one of these.
constexpr std::string_view kKeys[] = {
    "api",     "access", "secret",  "auth",     "encryption", "signing", "license",
    "account", "master", "shared",  "session",  "service",    "hmac",    "subscription",
    "write",   "client", "private", "consumer", "project",    "storage", "webhook",
    "crypt",   "admin",  "app",     "recovery",
};
// Likewise: services of which one has a single key.
constexpr std::string_view kServices[] = {
    "wandb",   "comet",    "neptune", "openai", "anthropic",   "gemini",
    "mistral", "cohere",   "groq",    "hf",     "huggingface", "replicate",
    "datadog", "pinecone", "ngrok",   "runpod", "tailscale",
};
// "--no-auth", "--use-auth-token" and the like are switches: what follows them is mostly no value
// of theirs.
constexpr std::string_view kSwitches[] = {
    "no",   "without", "disable", "skip",  "require", "use", "enable", "with",     "ask",   "show",
    "hide", "allow",   "check",   "force", "has",     "is",  "print",  "generate", "prompt"};
// "..._token" is a secret unless the word before it is one of these: then it is a piece of text.
constexpr std::string_view kTextTokens[] = {
    "pad",   "eos",          "bos",      "unk",      "sep",         "cls",         "mask",
    "image", "video",        "audio",    "stop",     "start",       "end",         "per",
    "next",  "new",          "prompt",   "text",     "last",        "max",         "min",
    "num",   "eot",          "trigger",  "instance", "placeholder", "special",     "think",
    "first", "query",        "vision",   "pos",      "change",      "starting",    "idempotency",
    "page",  "continuation", "sequence", "decoder",  "class",       "initializer", "extra",
    "tool",  "system",       "user",
};
// "..._pass" likewise: a run through something.
constexpr std::string_view kPasses[] = {"first", "second", "single",  "one",     "two", "multi",
                                        "per",   "n",      "num",     "max",     "low", "high",
                                        "band",  "by",     "forward", "backward"};
// A name that ends in one of these speaks about a secret and does not hold it.
constexpr std::string_view kAbout[] = {
    "file",    "path",      "dir",     "folder",    "ids",      "name",     "names",   "env",
    "var",     "host",      "port",    "len",       "length",   "size",     "count",   "num",
    "type",    "types",     "kind",    "store",     "provider", "class",    "field",   "column",
    "prefix",  "suffix",    "stdin",   "prompt",    "policy",   "ttl",      "expiry",  "hint",
    "mode",    "format",    "version", "index",     "idx",      "dim",      "budget",  "limit",
    "ratio",   "rate",      "loss",    "prob",      "helper",   "required", "enabled", "fraction",
    "weight",  "embedding", "manager", "algorithm", "fd",       "url",      "py",      "yaml",
    "yml",     "json",      "txt",     "md",        "cc",       "md5",      "server",  "service",
    "expires", "timeout",   "reset",   "id",
};
// What a secret is written as: "client-key-data" is the client's key.
constexpr std::string_view kWrittenAs[] = {"data",   "value", "material",  "b64", "base64", "pem",
                                           "string", "plain", "plaintext", "hex", "hash"};
// "..._code" where the word before it is one of these.
constexpr std::string_view kCodes[] = {"mfa",      "otp",          "totp",       "2fa",
                                       "tan",      "auth",         "sms",        "pass",
                                       "recovery", "verification", "backup",     "unlock",
                                       "access",   "security",     "activation", "confirmation"};
constexpr std::string_view kPhrases[] = {"seed", "recovery", "backup", "mnemonic", "wallet"};

template <class Range>
bool has(const Range& range, std::string_view item) {
  return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

// "--apiKey", "API_KEY" and "api-key" all as api, key.
class NameWords {
 public:
  explicit NameWords(std::string_view name) {
    name = name.substr(name.size() - std::min(name.size(), letters_.size()));
    char before = '\0';
    std::size_t used = 0, begin = 0;
    const auto end_word = [&] {
      if (used > begin && count_ < words_.size()) {
        words_[count_++] = {letters_.data() + begin, used - begin};
      }
      begin = used;
    };
    for (const char c : name) {
      if (!is_alnum(c) || (is_upper(c) && is_lower(before))) end_word();
      if (is_alnum(c)) letters_[used++] = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
      before = c;
    }
    end_word();
    letters_used_ = used;
  }
  bool says_nothing() const {
    const std::string_view letters(letters_.data(), letters_used_);
    return std::none_of(std::begin(kStems), std::end(kStems),
                        [&](std::string_view stem) { return letters.find(stem) != letters.npos; });
  }
  // "password2", "key_1": a number says which one.
  void drop_number() {
    if (count_ == 0) return;
    auto& last = words_[count_ - 1];
    const auto digits = last.find_last_not_of("0123456789") + 1;
    if (digits == 0 && count_ > 1) {
      --count_;
    } else if (digits > 0 && last != "base64" && last != "b64" && last != "md5") {
      last = last.substr(0, digits);
    }
  }
  void drop_last() { --count_; }
  std::size_t size() const { return count_; }
  std::string_view first() const { return words_[0]; }
  std::string_view last() const { return words_[count_ - 1]; }
  std::string_view before_last() const {
    return count_ > 1 ? words_[count_ - 2] : std::string_view();
  }
  template <class Is>
  bool any(Is&& is) const {
    return std::any_of(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(count_), is);
  }

 private:
  std::array<char, 128> letters_{};
  std::size_t letters_used_ = 0;
  std::array<std::string_view, 24> words_{};
  std::size_t count_ = 0;
};

bool ends_in_secret(std::string_view word) {
  return std::any_of(std::begin(kAlways), std::end(kAlways),
                     [&](std::string_view secret) { return word.ends_with(secret); });
}

// "smtppass", and not "bypass".
bool is_joined_pass(std::string_view word) {
  constexpr std::string_view kWords[] = {"compass",  "bypass",    "trespass",  "underpass",
                                         "overpass", "surpass",   "multipass", "encompass",
                                         "highpass", "lowpass",   "bandpass",  "onepass",
                                         "twopass",  "firstpass", "singlepass"};
  return word.size() > 4 && word.ends_with("pass") && !has(kWords, word);
}

Secrecy of_words(NameWords& words) {
  const auto last = words.last();
  const auto before = words.before_last();
  if (last == "id" && before == "secret") return Secrecy::BareKey;  // Vault's; of others, a name
  if (last == "id" && words.size() > 1) {
    words.drop_last();
    return of_words(words) == Secrecy::None ? Secrecy::None : Secrecy::Key;
  }
  if (has(kAbout, last)) return Secrecy::None;
  if (has(kWrittenAs, last) && words.size() > 1) {
    words.drop_last();
    return of_words(words);
  }
  if (has(kHeaders, last)) return Secrecy::Header;
  if (words.any([](std::string_view word) { return has(kOrFile, word); })) return Secrecy::File;
  if (last == "key" && (has(kKeys, before) || has(kServices, before))) return Secrecy::File;
  const bool is_switch = words.size() > 1 && has(kSwitches, words.first());
  if (words.any(ends_in_secret)) return is_switch ? Secrecy::Key : Secrecy::Secret;
  if (is_switch && last == "pass") return Secrecy::Key;
  if (has(kAtEnd, last) || is_joined_pass(last)) return Secrecy::Secret;
  if (last.ends_with("pwd")) return Secrecy::Secret;
  if (last == "token" || (last.ends_with("token") && last.size() > 5)) {
    return is_switch || has(kTextTokens, before) ? Secrecy::Key : Secrecy::Secret;
  }
  if (last == "word" && before == "pass") return Secrecy::Secret;
  if (last == "pass" && before == "user") return Secrecy::File;  // --auth-user-pass FILE
  if (last == "pass" && !has(kPasses, before)) return Secrecy::Secret;
  if (last == "code" && has(kCodes, before)) return Secrecy::Secret;
  if (last == "pin" || last == "totp") return Secrecy::Pin;
  if (last == "mnemonic" || (last == "seed" && before == "wallet")) return Secrecy::Words;
  if (last == "phrase" && before == "pass") return Secrecy::Secret;
  if ((last == "phrase" || last == "words") && has(kPhrases, before)) return Secrecy::Words;
  if (last == "cred" || last == "creds") return Secrecy::Auth;
  if (last == "cookies") return Secrecy::Cookie;
  if (last == "pat") return Secrecy::BareKey;
  if (last == "session" || last == "sessionid" || last == "sid") return Secrecy::BareKey;
  if (last.ends_with("key")) {
    return last == "key" && before.empty() ? Secrecy::BareKey : Secrecy::Key;
  }
  if (last == "sig" || last == "signature") return Secrecy::Signature;
  if (last == "auth") return is_switch ? Secrecy::Pair : Secrecy::Auth;
  if (last.ends_with("auth") && last != "oauth") return Secrecy::Auth;  // masterauth
  if (last == "cert") return Secrecy::Certificate;
  if (last == "user" || last == "login") {
    return before == "proxy" ? Secrecy::Pair : Secrecy::LikelyPair;
  }
  return Secrecy::None;
}

}  // namespace

Secrecy secrecy_of(std::string_view name) {
  if (name == "OLDPWD") return Secrecy::None;
  if (name == "PWD") return Secrecy::File;  // of ODBC, or a shell's folder
  NameWords words(name);
  if (words.says_nothing()) return Secrecy::None;
  words.drop_number();
  if (words.size() == 0) return Secrecy::None;
  return of_words(words);
}

bool says_password(std::string_view name) {
  constexpr std::string_view kCommands[] = {"secret",     "secrets", "token", "tokens",
                                            "credential", "bearer",  "key",   "jwt"};
  const auto secrecy = secrecy_of(name);
  if (secrecy != Secrecy::Secret && secrecy != Secrecy::File) return false;
  return !has(kCommands, name) && name.find('/') == name.npos;
}

}  // namespace tidegauge::secrets
