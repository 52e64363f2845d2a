// SPDX-License-Identifier: Apache-2.0
// What there is between our answers and the library that speaks HTTP. That one is loaded only by
// those who serve (load.h): it brings TLS and compression along, which nobody else should pay for.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace tidegauge::serve {

using Header = std::pair<std::string, std::string>;

struct Request {
  std::string method{};
  std::string path{};  // without what follows a question mark
  std::vector<Header> headers{};

  std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [name](const Header& one) { return lower(one.first) == name; }));
  }
  // Of the first that is called `name`, in lower case; empty: none.
  std::string_view header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [name](const Header& one) { return lower(one.first) == name; });
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

// An answer that goes on for as long as somebody reads it.
class Source {
 public:
  virtual ~Source() = default;
  // The next piece. May take some seconds; none is too long for a reader who is still there.
  virtual std::string next() = 0;
};

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<Header> headers{};
  std::unique_ptr<Source> more{};  // instead of a body
};

using Answer = std::function<Reply(const Request&)>;  // called by several threads

class HttpServer {
 public:
  virtual ~HttpServer() = default;
  // Only from this machine. 0: a port that is free. Empty: it cannot be had.
  virtual std::optional<int> open(int port) = 0;
  virtual void run(Answer answer) = 0;  // does not return
};

// What the library exports under the name of kMakeServer.
using MakeServer = HttpServer* (*)();
inline constexpr const char* kMakeServer = "tidegauge_make_http_server";
// And under that of kPost: sends JSON there, and returns the status of the answer; 0: none came.
using Post = int (*)(const char* url, const char* body, int seconds);
inline constexpr const char* kPost = "tidegauge_http_post";
inline constexpr const char* kLibrary = "libtidegauge_http.so";

}  // namespace tidegauge::serve
