// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "serve/http.h"

namespace tidegauge::serve {

// The server of the library at `path`, which stays loaded from now on.
Result<std::unique_ptr<HttpServer>> load_server(const std::string& path);

// Sends `body` to `url`, by that library, and waits `seconds` for an answer at most.
Result<> post_json(const std::string& path, const std::string& url, const std::string& body,
                   int seconds);

}  // namespace tidegauge::serve
