// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "secrets/finders.h"
#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

class Addresses {
 public:
  Addresses(const Line& line, Hidden& hidden) : text_(line.text), hidden_(hidden) {}

  // One piece of text without blanks and quotes, where it stands in the line.
  void look_at(Span piece) {
    const auto word = text_.substr(piece.begin, piece.end - piece.begin);
    std::size_t after = 0;
    for (auto at = word.find("://"); at != word.npos; at = word.find("://", at + 3)) {
      address(piece.begin + at + 3, piece.end);
      after = at + 3;
    }
    if (after == 0) {
      user_and_password(piece);
      user_slash_password(piece);
    }
    pgpass(piece);
  }

 private:
  static constexpr std::size_t kShortestOpaque = 20;

  // What follows "://": user:password@host/path, or token@host.
  void address(std::size_t begin, std::size_t end) {
    constexpr std::size_t kLongestUser = 20;
    const auto word = text_.substr(begin, end - begin);
    const auto authority = word.substr(0, word.find_first_of("/?#"));
    path(begin, end);
    auto sign = authority.rfind('@');
    if (sign == authority.npos) {
      // A password with a slash in it, which it should not have: the colon gives it away.
      const auto colon = authority.find(':');
      if (colon == authority.npos || colon + 1 == authority.size()) return;
      const auto port = authority.substr(colon + 1);
      if (port.find_first_not_of("0123456789") == port.npos) return;
      sign = word.find('@');
      if (sign == word.npos) return;
    }
    const auto user = word.substr(0, sign);
    const auto colon = user.find(':');
    if (colon != user.npos) {
      if (user.substr(colon + 1) != kMask) hidden_.add({begin + colon + 1, begin + sign});
      if (token_length(user) > 0) hidden_.add({begin, begin + colon});
    } else if (user != kMask && (user.size() > kLongestUser || token_length(user) > 0)) {
      hidden_.add({begin, begin + sign});
    }
  }

  // Of a web hook, all that is random or follows what says that it is one.
  void path(std::size_t begin, std::size_t end) {
    bool is_hook = false;
    auto at = text_.substr(0, end).find('/', begin);
    while (at != text_.npos) {
      const auto next = std::min(text_.find_first_of("/?#", at + 1), end);
      const auto segment = text_.substr(at + 1, next - at - 1);
      constexpr std::size_t kShortestId = 9;  // "T01AB23CD"
      const bool opaque = segment.size() >= kShortestId && !is_number(segment) &&
                          std::any_of(segment.begin(), segment.end(), is_digit);
      if ((is_hook && (opaque || segment.size() >= kShortestOpaque)) || is_random(segment)) {
        hidden_.add({at + 1, next});
      }
      is_hook = is_hook || says_hook(segment);
      at = next < end && text_[next] == '/' ? next : text_.npos;
    }
  }

  static bool says_hook(std::string_view segment) {
    constexpr std::string_view kNames[] = {"services", "webhooks",        "webhook",  "hooks",
                                           "hook",     "incomingwebhook", "webhookb2"};
    constexpr std::size_t kLongest = 16;
    if (segment.size() > kLongest) return false;
    return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
      return name.size() == segment.size() &&
             std::equal(name.begin(), name.end(), segment.begin(), [](char a, char b) {
               return a == (is_upper(b) ? static_cast<char>(b - 'A' + 'a') : b);
             });
    });
  }

  // user:password@host without a scheme. image:tag@sha256:... is no such thing.
  void user_and_password(Span piece) {
    auto word = text_.substr(piece.begin, piece.end - piece.begin);
    const auto equals = word.find('=');
    if (equals != word.npos && equals < word.find(':')) {  // --target=user:password@host
      piece.begin += equals + 1;
      word.remove_prefix(equals + 1);
    }
    const auto colon = word.find_first_of(":@/");
    if (colon == word.npos || colon == 0 || word[colon] != ':') return;
    const auto sign = word.find('@', colon);
    if (sign == word.npos || sign == colon + 1 || sign + 1 == word.size()) return;
    if (word.substr(sign).starts_with("@sha256:") || word.starts_with("npm:")) return;
    if (is_option(word) || word.find('/', colon) < sign) return;
    if (word.substr(colon + 1, sign - colon - 1) == kMask) return;
    hidden_.add({piece.begin + colon + 1, piece.begin + sign});
  }

  // user/password@database of Oracle, also behind "jdbc:oracle:thin:". owner/action2@v3 is no such
  // thing.
  void user_slash_password(Span piece) {
    const auto word = text_.substr(piece.begin, piece.end - piece.begin);
    const auto sign = word.find('@');
    if (sign == word.npos || sign == 0 || sign + 1 == word.size()) return;
    const auto slash = word.rfind('/', sign);
    if (slash == word.npos || slash == 0 || slash + 1 == sign) return;
    const auto colon = word.rfind(':', slash);
    const auto user = word.substr(colon == word.npos ? 0 : colon + 1, slash - (colon + 1));
    const auto password = word.substr(slash + 1, sign - slash - 1);
    const bool named = word.starts_with("jdbc:oracle:");
    const bool typed =
        looks_typed(password) && (std::any_of(password.begin(), password.end(), is_upper) ||
                                  password.find_first_of("!#$%^&*") != password.npos);
    if (!std::all_of(user.begin(), user.end(), is_name) || user.empty() || (!named && !typed))
      return;
    if (password != kMask) hidden_.add({piece.begin + slash + 1, piece.begin + sign});
  }

  // host:port:database:user:password
  void pgpass(Span piece) {
    const auto word = text_.substr(piece.begin, piece.end - piece.begin);
    std::size_t colons[4] = {};
    auto at = word.npos;
    for (auto& colon : colons) {
      at = word.find(':', at + 1);
      if (at == word.npos) return;
      colon = at;
    }
    const auto port = word.substr(colons[0] + 1, colons[1] - colons[0] - 1);
    const auto user = word.substr(colons[2] + 1, colons[3] - colons[2] - 1);
    constexpr std::size_t kShortestPort = 4;
    const bool is_port = port == "*" || (port.size() >= kShortestPort &&
                                         port.find_first_not_of("0123456789") == port.npos);
    if (!is_port || user.empty() || user.find('/') != user.npos) return;
    if (word.find(':', colons[3] + 1) != word.npos) return;
    const auto rest = word.substr(colons[3] + 1);
    if (is_number(rest) || rest == kMask) return;
    hidden_.add({piece.begin + colons[3] + 1, piece.end});
  }

  std::string_view text_;
  Hidden& hidden_;
};

}  // namespace

void hide_in_addresses(const Line& line, Hidden& hidden) {
  Addresses addresses(line, hidden);
  for (const auto argument : line.arguments) {
    auto at = argument.begin;
    while (at < argument.end) {
      const auto ends = [](char c) { return is_blank(c) || is_quote(c); };
      while (at < argument.end && ends(line.text[at])) ++at;
      const auto begin = at;
      while (at < argument.end && !ends(line.text[at])) ++at;
      if (begin < at) addresses.look_at({begin, at});
    }
  }
}

}  // namespace tidegauge::secrets
