// SPDX-License-Identifier: Apache-2.0
// Who looks for secrets in a command line. Each knows one kind of place; what they find is hidden
// together, so that none has to know of the others.
#pragma once

#include "secrets/line.h"

namespace tidegauge::secrets {

// NAME=VALUE, --name value, "name": "value", <name>value</name>, environ['NAME'] = 'value',
// headers.
void hide_named_values(const Line& line, Hidden& hidden);

// The options of programs that mean a password there and something harmless elsewhere.
void hide_option_values(const Line& line, Hidden& hidden);

// user:password@host, tokens in the paths of addresses, lines of pgpass files.
void hide_in_addresses(const Line& line, Hidden& hidden);

// What is a secret for its place among words: "login KEY", "echo PASSWORD | sudo -S", login('…').
void hide_by_place(const Line& line, Hidden& hidden);

// What is one by itself, wherever it stands: tokens of known makes and what is plainly random.
void hide_tokens(std::string_view text, Hidden& hidden);

}  // namespace tidegauge::secrets
