// SPDX-License-Identifier: Apache-2.0
// Who may ask. Any web page that a browser has open can send requests to this machine, and so can
// every user of it: neither may see or do anything.
#pragma once

#include <optional>
#include <string>

#include "serve/http.h"

namespace tidegauge::serve {

// What a request without the right to it is answered with; nothing: it may be answered.
// - A Host that is not this machine's: a name that was made to point here (DNS rebinding). 421
// - An Origin, or a browser's word, that a page of another server asks. 403
// - Anything but the empty page without "Authorization: Bearer TOKEN". 401
// - A method that nothing here has. 405
std::optional<Reply> refusal_of(const Request& request, const std::string& token);

// For every answer: nothing of it is kept, framed, sniffed or told to others.
std::vector<Header> careful_headers();

}  // namespace tidegauge::serve
