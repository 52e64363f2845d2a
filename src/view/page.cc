// SPDX-License-Identifier: Apache-2.0
#include "view/page.h"

namespace tidegauge::view {

namespace {

constexpr std::string_view kPlace = "{\"tidegauge\":\"data\"}";  // as in web/src/page.html
// What the policy of the page allows it to ask, as in web/bundle.mjs.
constexpr std::string_view kAsksNobody = "connect-src 'none'";
constexpr std::string_view kAsksItsServer = "connect-src 'self'";
// U+2028 and U+2029 end a line in scripts of old, in UTF-8 E2 80 A8 and A9.
constexpr std::string_view kSeparatorStart = "\xE2\x80";

}  // namespace

std::string safe_in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool separator = json.substr(i).starts_with(kSeparatorStart) && i + 2 < json.size() &&
                           (json[i + 2] == '\xA8' || json[i + 2] == '\xA9');
    if (separator) {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (c == '<') {
      out += "\\u003C";
    } else if (c == '>') {
      out += "\\u003E";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

std::string page_with(std::string_view page, std::string_view json) {
  const auto place = page.find(kPlace);
  if (place == std::string_view::npos) return {};
  std::string out(page.substr(0, place));
  out += safe_in_script(json);
  out += page.substr(place + kPlace.size());
  return out;
}

std::string live_page(std::string_view page) {
  auto out = page_with(page, "{\"schema\":\"tidegauge/live/1\"}");
  const auto place = out.find(kAsksNobody);
  if (place != std::string::npos) out.replace(place, kAsksNobody.size(), kAsksItsServer);
  return out;
}

}  // namespace tidegauge::view
