// SPDX-License-Identifier: Apache-2.0
// What a name says about its value: "--db-password", "HF_TOKEN", "client-key-data".
#pragma once

#include <cstdint>
#include <string_view>

namespace tidegauge::secrets {

// What the value of an option, variable or field is.
enum class Secrecy : std::uint8_t {
  None,        // "tokenizer", "max_tokens", "password-file"
  Secret,      // "password", "HF_TOKEN", "wandb.api_key"
  File,        // "private-key": a secret, unless it is a path
  Pair,        // "proxy-user": a secret if it has a colon in it, as in user:password
  LikelyPair,  // "user": the same, unless it may be host:port or uid:gid
  Auth,        // "auth": a pair, or a secret alone, unless it says how: "basic", "md5"
  Key,        // "sort-key": a secret if it looks like one, and not like the name in "sort-key loss"
  BareKey,    // "key": the same, and less is enough: nothing says what it is the key to
  Signature,  // "X-Amz-Signature": a secret in an address; elsewhere as "sort-key"
  Header,     // "Authorization": all of the line is
  Cookie,     // what follows the first "="; else as "sort-key"
  Pin,        // four digits or more
  Words,      // "mnemonic": all words that follow
  Certificate,  // "cert": file:password
};
Secrecy secrecy_of(std::string_view name);

// "password", "api_key", and not "token" or "secret", which are commands' own words as well: enough
// to take what follows without a "=" for its value.
bool says_password(std::string_view name);

}  // namespace tidegauge::secrets
