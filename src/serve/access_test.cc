// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <gtest/gtest.h>

namespace tidegauge::serve {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

int status_of(const Request& request) {
  const auto refused = refusal_of(request, kToken);
  return refused ? refused->status : 200;
}

Request good() {
  return {.method = "GET",
          .path = "/metrics",
          .headers = {{"Host", "127.0.0.1:8433"}, {"Authorization", "Bearer " + kToken}}};
}

Request with(Header header) {
  auto request = good();
  request.headers.push_back(std::move(header));
  return request;
}

Request at_host(std::string host) {
  auto request = good();
  request.headers[0].second = std::move(host);
  return request;
}

TEST(Access, TheTokenOpens) {
  EXPECT_EQ(status_of(good()), 200);
  auto request = good();
  request.headers.pop_back();
  EXPECT_EQ(status_of(request), 401);
  for (const char* const wrong :
       {"", "Bearer ", "Bearer 0123456789abcdef0123456789abcdee",
        "Basic 0123456789abcdef0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef0"}) {
    auto other = good();
    other.headers[1].second = wrong;
    EXPECT_EQ(status_of(other), 401) << wrong;
  }
}

TEST(Access, WithoutATokenOfOursNobodyComesIn) {
  auto request = good();
  request.headers[1].second = "Bearer ";
  EXPECT_TRUE(refusal_of(request, ""));
}

TEST(Access, OnlyThisMachinesNames) {
  for (const char* const host : {"127.0.0.1", "127.0.0.1:1", "localhost:9000", "[::1]:8433"}) {
    EXPECT_EQ(status_of(at_host(host)), 200) << host;
  }
  for (const char* const host :
       {"", "evil.example", "127.0.0.1.evil.example", "127.0.0.1:80@evil.example", "localhost.evil",
        "localhost:", "localhost:x", "127.0.0.1:99999", "127.0.0.11", "[::1"}) {
    EXPECT_EQ(status_of(at_host(host)), 421) << host;
  }
  EXPECT_EQ(status_of(with({"host", "127.0.0.1:8433"})), 421) << "two of them";
}

TEST(Access, NoOtherSitesPage) {
  EXPECT_EQ(status_of(with({"Origin", "http://127.0.0.1:8433"})), 200);
  for (const char* const origin : {"http://evil.example", "null", "", "http://127.0.0.1:9999",
                                   "https://127.0.0.1:8433", "http://localhost:8433"}) {
    EXPECT_EQ(status_of(with({"Origin", origin})), 403) << origin;
  }
  EXPECT_EQ(status_of(with({"Sec-Fetch-Site", "same-origin"})), 200);
  EXPECT_EQ(status_of(with({"Sec-Fetch-Site", "cross-site"})), 403);
  EXPECT_EQ(status_of(with({"sec-fetch-site", "same-site"})), 403);
}

TEST(Access, TheEmptyPageIsForEverybodyWhoComesByALink) {
  Request request{.method = "GET", .path = "/", .headers = {{"Host", "localhost:8433"}}};
  EXPECT_EQ(status_of(request), 200);
  request.headers.emplace_back("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(status_of(request), 403) << "as an image, say";
  request.headers.emplace_back("Sec-Fetch-Mode", "navigate");
  EXPECT_EQ(status_of(request), 200);
  request.path = "/api/stream";
  EXPECT_EQ(status_of(request), 403);
}

TEST(Access, NoOtherMethods) {
  for (const char* const method : {"PUT", "DELETE", "OPTIONS", "TRACE", "HEAD", "get", ""}) {
    auto request = good();
    request.method = method;
    EXPECT_EQ(status_of(request), 405) << method;
  }
}

}  // namespace
}  // namespace tidegauge::serve
