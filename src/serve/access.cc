// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <array>

namespace tidegauge::serve {

namespace {

constexpr std::array<std::string_view, 3> kThisMachine = {"127.0.0.1", "localhost", "[::1]"};
constexpr std::string_view kBearer = "Bearer ";

Reply refused(int status, std::string why) {
  return {.status = status, .body = std::move(why)};
}

// The port may be another's: that of a tunnel. It is the name that a stranger would have to change.
bool is_this_machine(std::string_view host) {
  for (const auto name : kThisMachine) {
    if (!host.starts_with(name)) continue;
    const auto rest = host.substr(name.size());
    if (rest.empty()) return true;
    if (rest.front() == ':' && to_number<unsigned short>(rest.substr(1))) return true;
  }
  return false;
}

// Takes as long whatever is in them, so that nobody finds a token letter by letter.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || b.empty()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return different == 0;
}

// The page itself holds nothing. It may be reached by a link from elsewhere.
bool is_empty_page(const Request& request) {
  return request.method == "GET" && request.path == "/";
}

bool from_another_site(const Request& request) {
  const auto site = request.header("sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return false;
  return !(is_empty_page(request) && request.header("sec-fetch-mode") == "navigate");
}

}  // namespace

std::optional<Reply> refusal_of(const Request& request, const std::string& token) {
  const auto host = request.header("host");
  if (request.count("host") != 1 || !is_this_machine(host)) {
    return refused(421, "This is served to 127.0.0.1 and localhost only.\n");
  }
  const auto origin = request.header("origin");
  if (request.count("origin") > 0 && origin != "http://" + std::string(host)) {
    return refused(403, "Another site's page may not ask.\n");
  }
  if (from_another_site(request)) return refused(403, "Another site's page may not ask.\n");
  if (request.method != "GET" && request.method != "POST") {
    auto reply = refused(405, "GET and POST only.\n");
    reply.headers.emplace_back("Allow", "GET, POST");
    return reply;
  }
  if (is_empty_page(request)) return {};
  const auto given = request.header("authorization");
  if (!given.starts_with(kBearer) || !same_secret(given.substr(kBearer.size()), token)) {
    auto reply =
        refused(401, "The token is missing: it is in the address that tidegauge serve prints.\n");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
  }
  return {};
}

std::vector<Header> careful_headers() {
  return {{"Cache-Control", "no-store"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Content-Security-Policy", "frame-ancestors 'none'"}};
}

}  // namespace tidegauge::serve
