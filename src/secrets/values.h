// SPDX-License-Identifier: Apache-2.0
// What secrets look like by themselves: their makers' marks, how random they are, what they are
// not.
#pragma once

#include <cstddef>
#include <string_view>

namespace tidegauge::secrets {

// "true", "none", "0", "***", "$HF_TOKEN": nothing to hide.
bool is_plain_value(std::string_view value);

// "~/.ssh/id_ed25519", "/etc/tls/key.pem"
bool is_path(std::string_view value);

// "basic", "kerberos", "scram-sha-256": how to prove who one is, and no proof.
bool is_way_to_authenticate(std::string_view value);

// "Bearer", "Basic": the secret follows.
bool is_scheme(std::string_view word);

// "8080", "1000:1000", "localhost:8080": places and numbers.
bool is_number(std::string_view value);

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

// Letters and digits of both cases in no order that a word, a name in camel case or a hash in
// hexadecimal digits has: a secret wherever it stands.
bool is_random(std::string_view word);

// As people type them: "hunter2", "Winter-31!". No path, address, version or number. For places
// where a password is likely.
bool looks_typed(std::string_view word);

// Letters of both cases, digits and a sign that no name, path or address has: "Winter-31!". A
// password wherever it stands.
bool is_typed_password(std::string_view word);

// Of these neighbouring letters the second one hardly ever follows the first one in words.
bool is_odd_pair(char first, char second);

}  // namespace tidegauge::secrets
