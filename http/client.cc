// SPDX-License-Identifier: Apache-2.0
// One POST, bounded in time: for the guard's webhook.
#include <httplib.h>

#include <cstring>
#include <string>

#include "serve/http.h"

namespace {

// "https://host:port" and "/path?query": what follows a # is not sent.
struct Address {
  std::string server;
  std::string path;
};

Address split(const std::string& url) {
  const auto scheme = url.find("://");
  const auto from = scheme == std::string::npos ? 0 : scheme + 3;
  const auto whole = url.substr(0, url.find('#'));
  const auto slash = whole.find_first_of("/?", from);
  std::string path = "/";
  if (slash != std::string::npos) path += whole.substr(whole[slash] == '/' ? slash + 1 : slash);
  return {whole.substr(0, slash), path};
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int tidegauge_http_post(const char* url,
                                                                          const char* body,
                                                                          int seconds);

// The status of the answer; 0: there was none.
int tidegauge_http_post(const char* url, const char* body, int seconds) {
  try {
    const auto address = split(url);
    httplib::Client client(address.server);
    if (!client.is_valid()) return 0;
    client.set_connection_timeout(seconds);
    client.set_read_timeout(seconds);
    client.set_write_timeout(seconds);
    client.set_follow_location(false);
    const auto answer = client.Post(address.path, body, std::strlen(body), "application/json");
    return answer ? answer->status : 0;
  } catch (const std::exception&) {
    return 0;
  }
}
