// SPDX-License-Identifier: Apache-2.0
// How secrets are called and what they look like. Tables, and nothing of where they stand.
#pragma once

#include <cstddef>
#include <string_view>

namespace tidegauge::proc {

// What the value of an option, variable or field of this name is.
enum class Secrecy {
  None,       // "tokenizer", "max_tokens", "password-file"
  Secret,     // "password", "HF_TOKEN", "wandb.api_key"
  File,       // "private-key": a secret, unless it is a path
  Pair,       // "use-auth": a secret if it has a colon in it, as in user:password
  Auth,       // "auth": the same, or a secret alone, unless it says how: "basic", "md5"
  Key,        // "sort-key": a secret if it looks like one, and not like the name in "sort-key loss"
  BareKey,    // "key": the same, and less is enough: nothing says what it is the key to
  Signature,  // "X-Amz-Signature": a secret in an address; elsewhere as "sort-key"
  Header,     // "Authorization": all of the line is
};
Secrecy secrecy_of(std::string_view name);

// "true", "none", "0", "***", "$HF_TOKEN": nothing to hide.
bool is_plain_value(std::string_view value);

// "~/.ssh/id_ed25519", "/etc/tls/key.pem"
bool is_path(std::string_view value);

// "basic", "kerberos", "scram-sha-256": how to prove who one is, and no proof.
bool is_way_to_authenticate(std::string_view value);

// How many characters at the front of `text` are a token of a known make (AKIA…, hf_…, ghp_…, a
// JWT, a private key); 0 if none.
std::size_t token_length(std::string_view text);

// A key that a program made: a long run of letters and digits, or an UUID. No name, however long:
// "resnet50-imagenet-2024-run7".
bool looks_like_key(std::string_view word);

// One that a person may have typed: a shorter run is enough.
bool looks_like_short_key(std::string_view word);

// Long and mixed as no word is: a candidate where the word before it says so ("login 9f86d08…").
bool looks_random(std::string_view word);

}  // namespace tidegauge::proc
