// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string_view>

#include "secrets/finders.h"
#include "secrets/names.h"
#include "secrets/parts.h"
#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

bool is_separator(char c) {
  return c == '=' || c == ':';
}

// What may close a name before its separator: quotes, environ['NAME'], $ENV{NAME}.
bool is_closer(char c) {
  return is_quote(c) || c == '\\' || c == ']' || c == '}';
}

class NamedValues {
 public:
  NamedValues(const Line& line, Hidden& hidden) : line_(line), text_(line.text), hidden_(hidden) {}

  void hide() {
    for (std::size_t i = 0; i < line_.arguments.size(); ++i) {
      argument_ = i;
      end_ = line_.arguments[i].end;
      is_code_ = is_code(line_, i);
      auto at = std::max(line_.arguments[i].begin, done_);
      while (at < end_) at = is_name(text_[at]) ? after_name(at) : at + 1;
    }
  }

 private:
  // Where to go on.
  std::size_t after_name(std::size_t begin) {
    auto end = begin;
    while (end < end_ && is_name(text_[end])) ++end;
    // "password." at the end of a sentence, "token-" before a piece that is filled in.
    const auto name = text_.substr(begin, end - begin);
    const auto secrecy = secrecy_of(name);
    if (secrecy == Secrecy::None) return end;
    const Name found{begin, end, secrecy};
    if (end == end_) return next_argument(found);
    if (text_[end] == '>' && char_before(begin) == '<') return xml(found);
    auto close = end;
    while (close < end_ && is_closer(text_[close])) ++close;
    const auto next = std::min(skip_blanks(text_, close), end_);
    if (next == end_) return end;
    if (const auto sign = assignment_at(next)) return after_separator(found, *sign);
    // ('NAME', 'value'), and ['program', '--name', 'value']
    if (close > end && text_[next] == ',' && (name[0] == '-' || is_argument_of_call(begin))) {
      return after_separator(found, next);
    }
    if (const auto value = value_attribute(close > end ? next : end)) {
      return after_separator(found, *value);
    }
    if (close == end && is_blank(text_[end])) return next_word(found, next);
    return end;
  }

  // "=" and ":", and "||=" and the like.
  std::optional<std::size_t> assignment_at(std::size_t at) const {
    if (is_separator(text_[at])) return at;
    constexpr std::string_view kBefore = "|?+/&";
    auto sign = at;
    while (sign < end_ && sign < at + 2 && kBefore.find(text_[sign]) != kBefore.npos) ++sign;
    return sign > at && sign < end_ && text_[sign] == '=' ? std::optional(sign) : std::nullopt;
  }

  struct Name {
    std::size_t begin, end;
    Secrecy secrecy;
  };

  char char_before(std::size_t at) const {
    return at > line_.arguments[argument_].begin ? text_[at - 1] : '\0';
  }
  std::string_view text_of(const Name& name) const {
    return text_.substr(name.begin, name.end - name.begin);
  }
  bool begins_argument(const Name& name) const {
    const auto begin = line_.arguments[argument_].begin;
    return name.begin == begin || (name.begin == begin + 1 && text_[begin] == '+');
  }

  // Hides what of it is secret; whether there is any.
  bool hide_in(Secrecy secrecy, std::size_t begin, std::size_t end) {
    // What it looks like is seen by its beginning.
    constexpr std::size_t kEnough = 1024;
    const auto value = text_.substr(begin, std::min(end - begin, kEnough));
    const auto part = secret_part(secrecy, value);
    if (part)
      hidden_.add({begin + part->begin, part->end == value.size() ? end : begin + part->end});
    return part.has_value();
  }

  // --password, and all of the next argument.
  std::size_t next_argument(const Name& name, bool sure = false) {
    const auto& arguments = line_.arguments;
    const auto next = argument_ + 1;
    if (next == arguments.size()) return name.end;
    const auto value = line_.of(arguments[next]);
    const bool named = text_of(name).starts_with('-') || sure;
    // "grep password: docs/"
    if (sure && name.secrecy != Secrecy::Header && value.find('/') != value.npos) return name.end;
    if (!named) return next_bare(name, value, arguments[next]);
    if (is_option(value) && (!sure || secrecy_of(value) != Secrecy::None)) return name.end;
    if (is_scheme(value) && next + 1 < arguments.size()) {
      const auto after = arguments[next + 1];
      if (!is_option(line_.of(after))) hide_whole(Secrecy::Secret, after);
    } else if (hide_whole(name.secrecy, arguments[next]) && name.secrecy == Secrecy::Words) {
      hide_more_words(next + 1);
    }
    return name.end;
  }

  bool hide_whole(Secrecy secrecy, Span argument) {
    const bool hid = hide_in(secrecy, argument.begin, argument.end);
    if (hid) done_ = argument.end;
    return hid;
  }

  // A mnemonic that was not quoted.
  void hide_more_words(std::size_t next) {
    constexpr std::size_t kMostWords = 24;
    for (std::size_t i = 0; i < kMostWords && next < line_.arguments.size(); ++i, ++next) {
      const auto word = line_.of(line_.arguments[next]);
      if (word.empty() || !std::all_of(word.begin(), word.end(), is_lower)) return;
      hidden_.add(line_.arguments[next]);
      done_ = line_.arguments[next].end;
    }
  }

  // "password hunter2", without a dash or a sign: only what looks like one.
  std::size_t next_bare(const Name& name, std::string_view value, Span place) {
    const bool after_login =
        text_.substr(0, name.begin).ends_with(" ") && is_netrc(text_.substr(0, name.begin));
    const bool strong = says_password(text_of(name));
    // "wifi-sec.psk letmein": no word of prose.
    const char before = char_before(name.begin);
    const bool certain = strong && text_of(name).back() != '.' &&
                         (before == '\0' || is_blank(before)) &&
                         text_of(name).find_first_of("_.", 1) != std::string_view::npos &&
                         value.find_first_of("/.: ") == value.npos && !is_plain_value(value);
    const bool secret = looks_random(value) || is_random(value) || certain ||
                        (strong && (looks_typed(value) || after_login));
    if (name.secrecy != Secrecy::Secret && name.secrecy != Secrecy::File) return name.end;
    if (!secret || is_path(value) || is_option(value)) return name.end;
    hidden_.add(place);
    done_ = std::max(done_, place.end);
    return std::min(place.end, end_);
  }

  // "... login joe password": of a netrc file.
  static bool is_netrc(std::string_view before) {
    constexpr std::size_t kFar = 80;
    before = before.substr(before.size() - std::min(before.size(), kFar));
    const auto login = before.rfind("login ");
    if (login == before.npos) return false;
    const auto user = before.substr(login + 6);
    return user.find(' ') + 1 == user.size();
  }

  // In a script: the value ends with the word, or its quotes.
  std::size_t next_word(const Name& name, std::size_t at) {
    if (text_of(name).starts_with('-')) {
      if (text_[at] == '-' && at + 1 < end_ && !is_digit(text_[at + 1])) return name.end;
      const auto scheme = text_.substr(at, word_end(at) - at);
      if (is_scheme(scheme)) at = std::min(skip_blanks(text_, at + scheme.size()), end_);
      return value_at(name, at);
    }
    const auto place = is_quote(text_[at]) ? quoted(at) : Span{at, word_end(at)};
    // ALTER USER joe PASSWORD 'secret'
    if (is_quote(text_[at]) && says_password(text_of(name)) &&
        line_.of(place).find_first_of("/. ") == std::string_view::npos) {
      return hide_in(name.secrecy, place.begin, place.end) ? place.end : name.end;
    }
    return next_bare(name, line_.of(place), place);
  }

  std::size_t word_end(std::size_t at) const {
    while (at < end_ && !is_blank(text_[at]) && !is_quote(text_[at]) && text_[at] != ';') ++at;
    return at;
  }

  // ('NAME', 'value') and (config, 'name', 'value'), but not ['name', 'other'].
  bool is_argument_of_call(std::size_t begin) const {
    constexpr std::size_t kFar = 80;
    const auto from = begin - std::min(begin - line_.arguments[argument_].begin, kFar);
    const auto before = text_.substr(from, begin - from);
    const auto opened = before.find_last_of("([{");
    return opened != before.npos && before[opened] == '(';
  }

  // name="password" value="…", "name": "DB_PASSWORD", "value": "…": the place of its separator.
  std::optional<std::size_t> value_attribute(std::size_t at) const {
    constexpr std::string_view kValue = "value";
    while (at < end_ &&
           (is_quote(text_[at]) || is_blank(text_[at]) || text_[at] == ',' || text_[at] == '\\')) {
      ++at;
    }
    if (text_.substr(at, std::min(kValue.size(), end_ - at)) != kValue) return {};
    at += kValue.size();
    while (at < end_ && (is_closer(text_[at]) || is_blank(text_[at]))) ++at;
    return at < end_ && is_separator(text_[at]) ? std::optional(at) : std::nullopt;
  }

  // <password>…</password>
  std::size_t xml(const Name& name) {
    constexpr std::string_view kData = "<![CDATA[";
    auto at = name.end + 1;
    if (text_.substr(at).starts_with(kData)) at += kData.size();
    const auto close = std::min(text_.find_first_of("<]", at), end_);
    return hide_in(name.secrecy, at, close) ? close : at;
  }

  std::size_t after_separator(const Name& name, std::size_t separator) {
    auto at = separator;
    while (at < end_ && (is_separator(text_[at]) || text_[at] == '>' || text_[at] == ',')) ++at;
    if (text_[separator] == ':') {
      if (text_.substr(at).starts_with("//")) return at;
      // "user:1000:name" is no pair, nor "token: refresh it before it ends".
      if (name.secrecy == Secrecy::LikelyPair || is_prose(name, at)) return at;
      if (const auto assigned = after_annotation(at)) at = *assigned;
    }
    if (at == end_) {
      // "Authorization:" as an argument of its own goes on in the next; "--password=" is empty.
      return text_[at - 1] == ':' ? next_argument(name, true) : at;
    }
    if (name.secrecy == Secrecy::Header) return header(name, at);
    const char before = char_before(name.begin);
    if (before == '&' || before == '?') return in_query(name, at);
    at = std::min(skip_blanks(text_, at), end_);
    return at == end_ ? at : value_at(name, at);
  }

  // Words after a word that commands and people use as well.
  bool is_prose(const Name& name, std::size_t at) const {
    constexpr int kFewWords = 3;
    if (name.secrecy == Secrecy::Header || says_password(text_of(name))) return false;
    int words = 0;
    for (; at < end_ && text_[at] != '\n'; ++at) {
      if (text_[at] == ' ') {
        words += 1;
      } else if (!is_letter(text_[at]) && text_[at] != ',' && text_[at] != '.') {
        return false;
      }
    }
    return words >= kFewWords;
  }

  // TOKEN: str = 'value'
  std::optional<std::size_t> after_annotation(std::size_t at) const {
    const auto type = skip_blanks(text_, at);
    auto type_end = type;
    while (type_end < end_ && is_name(text_[type_end])) ++type_end;
    const auto sign = skip_blanks(text_, type_end);
    if (!is_code_ || type_end == type || sign <= type_end || sign + 1 >= end_) return {};
    return text_[sign] == '=' && text_[sign + 1] == ' ' ? std::optional(sign + 1) : std::nullopt;
  }

  std::size_t in_query(const Name& name, std::size_t at) {
    const auto end = std::min(text_.find_first_of("&# \t\n\"'`", at), end_);
    const auto secrecy = name.secrecy == Secrecy::Signature ? Secrecy::Secret : name.secrecy;
    return hide_in(secrecy, at, end) ? end : at;
  }

  // All of a header's line, but for the scheme.
  std::size_t header(const Name& name, std::size_t at) {
    auto begin = std::min(skip_blanks(text_, at), end_);
    if (begin < end_ && is_quote(text_[begin])) ++begin;  // {'Authorization': 'Bearer …'}
    const auto end = std::min(text_.find_first_of("\"'`\n", begin), end_);
    const auto scheme_end = std::min(word_end(begin), end);
    if (is_scheme(text_.substr(begin, scheme_end - begin))) {
      if (scheme_end == end_) {
        argument_ += 1;  // Authorization: Bearer, and the token in a third argument
        if (argument_ < line_.arguments.size())
          hide_whole(Secrecy::Secret, line_.arguments[argument_]);
        argument_ -= 1;
      }
      begin = std::min(skip_blanks(text_, scheme_end), end);
    } else if (begin == end) {
      return next_argument(name, true);
    }
    if (text_.substr(begin, end - begin) != kMask) hidden_.add({begin, end});
    return end;
  }

  std::size_t value_at(const Name& name, std::size_t at) {
    at = after_string_prefix(at);
    if (at == end_) return at;
    const char c = text_[at];
    if (c == '(') return tuple(name, at);
    if (c == '[') return at;
    if (c == '{') return braces(name, at);
    const bool all = begins_argument(name) && !is_code_;
    if (!all && (is_quote(c) || (c == '\\' && at + 1 < end_ && is_quote(text_[at + 1])))) {
      const auto inside = quoted(at);
      return hide_in(name.secrecy, inside.begin, inside.end) ? inside.end : at + 1;
    }
    const auto end = all ? end_of_rest(at) : end_of_bare(at);
    return hide_in(name.secrecy, at, end) ? end : at;
  }

  // b'…', rf"…"
  std::size_t after_string_prefix(std::size_t at) const {
    auto next = at;
    while (next < end_ && next < at + 2 && is_letter(text_[next])) ++next;
    return next > at && next < end_ && is_quote(text_[next]) ? next : at;
  }

  // The inside of quotes, escaped ones (\"…\") as well; to the end where they are not closed.
  Span quoted(std::size_t at) const {
    if (text_[at] == '\\') {
      const std::string_view close = text_.substr(at, 2);
      return {at + 2, std::min(text_.find(close, at + 2), end_)};
    }
    const char quote = text_[at];
    auto begin = at + 1;
    if (begin + 1 < end_ && text_[begin] == quote && text_[begin + 1] == quote) begin += 2;  // """
    auto end = begin;
    while (end < end_ && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    end = std::min(end, end_);
    // "{'password': 'x'}" in quotes that are escaped: the last character belongs to the quote.
    return {begin, end};
  }

  // auth=('joe', 'password'): the last string.
  std::size_t tuple(const Name& name, std::size_t at) {
    constexpr std::size_t kFar = 512;
    const auto close = std::min({text_.find(')', at), end_, at + kFar});
    std::optional<Span> last;
    for (auto next = at + 1; next < close;) {
      if (is_quote(text_[next])) {
        last = quoted(next);
        next = last->end + 1;
      } else {
        ++next;
      }
    }
    const auto secrecy = name.secrecy == Secrecy::Auth ? Secrecy::Secret : name.secrecy;
    if (last && last->end <= end_) hide_in(secrecy, last->begin, last->end);
    return close;
  }

  // PWD={a;b} of ODBC; in JSON an object, whose fields speak for themselves.
  std::size_t braces(const Name& name, std::size_t at) {
    const auto inside = skip_blanks(text_, at + 1);
    if (text_[at - 1] != '=' || inside >= end_ || is_quote(text_[inside])) return at + 1;
    const auto close = std::min(text_.find('}', at), end_);
    return hide_in(name.secrecy, at + 1, close) ? close : at + 1;
  }

  // One that is all of the rest of its argument, unless that goes on with another pair.
  std::size_t end_of_rest(std::size_t at) const {
    for (auto next = at; next < end_; ++next) {
      if (is_next_pair(next)) return next;
    }
    return end_;
  }

  std::size_t end_of_bare(std::size_t at) {
    if (at > bare_.begin && at < bare_.end) return bare_.end;  // "key=key=key=…"
    const auto end = bare_end(at);
    bare_ = {at, end};
    return end;
  }

  std::size_t bare_end(std::size_t at) const {
    auto next = at;
    while (next < end_ && !is_blank(text_[next]) && !is_quote(text_[next]) && text_[next] != '<' &&
           !is_next_pair(next)) {
      ++next;
    }
    // f(token=abc), {token: abc}
    while (next > at + 1 && (text_[next - 1] == ')' || text_[next - 1] == '}' ||
                             text_[next - 1] == ',' || text_[next - 1] == ';')) {
      --next;
    }
    return next;
  }

  // ",name=", ";name=", "&name="
  bool is_next_pair(std::size_t at) const {
    constexpr std::size_t kLongestName = 40;
    if (text_[at] != ',' && text_[at] != ';' && text_[at] != '&') return false;
    auto next = skip_blanks(text_, at + 1);
    if (next >= end_) return true;
    const auto begin = next;
    while (next < end_ && next - begin < kLongestName && is_name(text_[next])) ++next;
    return next > begin && next < end_ && text_[next] == '=';
  }

  const Line& line_;
  std::string_view text_;
  Hidden& hidden_;
  std::size_t argument_ = 0;
  std::size_t end_ = 0;   // of the argument
  std::size_t done_ = 0;  // values up to here were hidden
  Span bare_{};           // that was looked at last
  bool is_code_ = false;
};

}  // namespace

void hide_named_values(const Line& line, Hidden& hidden) {
  NamedValues(line, hidden).hide();
}

}  // namespace tidegauge::secrets
