// SPDX-License-Identifier: Apache-2.0
// The process that answers browsers. It watches nothing: it is told what there is to show.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "serve/link.h"
#include "verdict/verdict.h"

namespace tidegauge::cli {

class WebServer {
 public:
  struct Options {
    std::optional<int> port{};  // empty: the usual one
    std::string token{};
    verdict::Rules rules{};  // for recordings that are opened
    bool show_keys = false;  // in a census that a page asks for
  };
  // Before anything is watched, so that it is never taken for a part of the job.
  static Result<WebServer> start(const Options& options);

  int port() const { return port_; }
  int fd() const { return link_.fd(); }  // readable when it has something to say
  bool gone() const { return link_.over(); }

  void tell(const std::string& channel, std::string text) {
    link_.send({"news", channel, std::move(text)});
  }
  void tell_known(std::string lines) { link_.send({"known", "jobs", std::move(lines)}); }
  // Hears what there is to hear; true if somebody began or ceased to follow something.
  bool listen();
  bool is_followed(const std::string& channel) const;

 private:
  WebServer(serve::Link link, int port) : link_(std::move(link)), port_(port) {}

  serve::Link link_;
  int port_;
  std::vector<std::string> followed_{};
};

}  // namespace tidegauge::cli
