// SPDX-License-Identifier: Apache-2.0
#include "proc/mask.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "proc/awaited.h"
#include "proc/program.h"
#include "proc/secret_options.h"
#include "proc/secret_words.h"

namespace tidegauge::proc {

namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::string_view kEllipsis = "…";
// More than this of a command line is not looked at: after masking, 4 KiB of it are kept.
constexpr std::size_t kLookedAt = 64ull * 1024;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}
bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool is_name(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}
bool is_separator(char c) {
  return c == '=' || c == ':';
}
bool is_scheme(std::string_view word) {
  constexpr std::string_view kSchemes[] = {"Bearer", "bearer", "Basic", "basic",
                                           "Token",  "token",  "Digest"};
  return std::find(std::begin(kSchemes), std::end(kSchemes), word) != std::end(kSchemes);
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && !is_blank(text[at]) && !is_quote(text[at])) ++at;
  return at;
}

// Goes through a command line once, from left to right, and writes what may be shown.
class Masker {
 public:
  void add(std::string_view argument) {
    if (started_) out_ += ' ';
    started_ = true;
    if (take_awaited(argument)) return;
    scan(argument);
    in_script_ =
        argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && argument.back() == 'c';
  }
  std::string take() { return std::move(out_); }

 private:
  bool take_awaited(std::string_view value) {
    if (awaited_ == Awaited::Nothing) return false;
    if (awaited_ == Awaited::Secret && is_scheme(value)) {
      out_ += value;
      return true;  // what follows it is awaited still
    }
    // wandb login --relogin KEY
    if (awaited_ == Awaited::Random && is_option(value)) return false;
    const auto awaited = std::exchange(awaited_, Awaited::Nothing);
    // An option, not a value; above all not one whose own value is a secret.
    if (is_option(value) && (!awaited_for_sure_ || secrecy_of(value) != Secrecy::None))
      return false;
    const auto text = shown(awaited, value);
    if (text) out_ += *text;
    return text.has_value();
  }

  void await(Awaited what, bool for_sure) {
    awaited_ = what;
    awaited_for_sure_ = for_sure;
  }

  // Copies blanks and quotes, and looks at what is between them.
  void scan(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      if (is_quote(c) && awaited_ != Awaited::Nothing) {
        at = quoted_value(text, at);
      } else if (is_blank(c) || is_quote(c) || (c == '\\' && awaited_ != Awaited::Nothing)) {
        out_ += c;
        ++at;
      } else if (const auto end = word_end(text, at); take_awaited(text.substr(at, end - at))) {
        at = end;
      } else {
        at = scan_word(text, at);
      }
    }
  }

  // "...", which was awaited: its inside is one value.
  std::size_t quoted_value(std::string_view text, std::size_t at) {
    const auto close = std::min(text.find(text[at], at + 1), text.size());
    auto value = text.substr(at + 1, close - at - 1);
    const bool escaped = value.ends_with('\\');  // inside another pair of quotes
    if (escaped) value.remove_suffix(1);
    out_ += text[at];
    if (!take_awaited(value)) {
      awaited_ = Awaited::Nothing;
      return at + 1;
    }
    if (escaped) out_ += '\\';
    return close;  // the closing quote is copied as any other
  }

  std::size_t scan_word(std::string_view text, std::size_t begin) {
    const auto end = word_end(text, begin);
    const auto word = text.substr(begin, end - begin);
    note_program(word);
    if (const auto done = short_option(word)) return begin + *done;
    if (const auto done = user_and_password(word)) return begin + *done;
    std::size_t at = begin;
    while (at < end && (awaited_ == Awaited::Nothing || at == begin)) {
      const bool boundary = at == begin || !is_alnum(text[at - 1]);
      if (const auto length = boundary ? token_length(text.substr(at)) : 0) {
        out_ += kMask;
        at += length;
      } else if (is_name(text[at])) {
        at = scan_name(text, at, at == 0);
      } else if (text.substr(at).starts_with("://")) {
        at = scan_address(text, at + 3);
      } else {
        out_ += text[at++];
      }
    }
    return at;
  }

  std::size_t scan_name(std::string_view text, std::size_t begin, bool first_in_argument) {
    auto end = begin;
    // A token may stand behind a dash or a dot: then the name ends before it.
    while (end < text.size() && is_name(text[end]) &&
           (end == begin || is_alnum(text[end - 1]) || token_length(text.substr(end)) == 0)) {
      ++end;
    }
    const auto name = text.substr(begin, end - begin);
    out_ += name;
    const auto secrecy = secrecy_of(name);
    if (secrecy == Secrecy::None) {
      if (name == "login" && end == word_end(text, end)) await(Awaited::Random, false);
      return end;
    }
    if (end < text.size() && is_separator(text[end])) {
      return after_separator(text, end, secrecy, first_in_argument,
                             begin > 0 && (text[begin - 1] == '&' || text[begin - 1] == '?'));
    }
    if (end < text.size() && !is_blank(text[end]) && !is_quote(text[end]) && text[end] != '\\') {
      return end;
    }
    if (name.starts_with('-')) {
      await(awaited_after(secrecy), false);
      return end;
    }
    return after_bare_name(text, end, secrecy);
  }

  // api_key": "..., password = ...
  std::size_t after_bare_name(std::string_view text, std::size_t end, Secrecy secrecy) {
    auto at = end;
    while (at < text.size() && (is_quote(text[at]) || text[at] == '\\')) ++at;
    at = skip_blanks(text, at);
    if (at < text.size() && is_separator(text[at])) {
      out_ += text.substr(end, at - end);
      return after_separator(text, at, secrecy, false, false);
    }
    await(Awaited::Random, false);
    return end;
  }

  std::size_t after_separator(std::string_view text, std::size_t separator, Secrecy secrecy,
                              bool whole_argument, bool in_query) {
    auto at = separator;
    while (at < text.size() && (is_separator(text[at]) || text[at] == '>')) ++at;
    out_ += text.substr(separator, at - separator);
    if (at >= text.size()) {
      // "Authorization:" as an argument of its own goes on in the next; "--password=" is empty.
      if (text[at - 1] == ':') await(awaited_after(secrecy), true);
      return at;
    }
    if (secrecy == Secrecy::Header) return header(text, at);
    if (secrecy == Secrecy::Signature && in_query) secrecy = Secrecy::Secret;
    if (is_blank(text[at]) || is_quote(text[at]) || text[at] == '\\') {
      if (!is_blank(text[at]) && whole_argument && !in_script_)
        return value(text, at, text.size(), secrecy);
      await(awaited_after(secrecy), true);
      return at;
    }
    auto end = word_end(text, at);
    if (in_query) end = std::min(end, text.find('&', at));
    if (whole_argument && !in_script_) end = text.size();
    return value(text, at, end, secrecy);
  }

  std::size_t value(std::string_view text, std::size_t at, std::size_t end, Secrecy secrecy) {
    const auto found = text.substr(at, end - at);
    const auto masked = shown(awaited_after(secrecy), found);
    if (!masked) return at;  // no pair: looked at like any other word
    out_ += *masked;
    return end;
  }

  // All of a header's line, but for the scheme.
  std::size_t header(std::string_view text, std::size_t at) {
    const auto begin = skip_blanks(text, at);
    out_ += text.substr(at, begin - at);
    auto end = begin;
    while (end < text.size() && !is_quote(text[end]) && text[end] != '\n') ++end;
    const auto scheme = text.substr(begin, word_end(text, begin) - begin);
    if (is_scheme(scheme)) out_.append(scheme).append(" ");
    if (begin < end) out_ += kMask;
    return std::max(begin, end);
  }

  // What follows "://": user:password@host, or token@host.
  std::size_t scan_address(std::string_view text, std::size_t at) {
    constexpr std::size_t kLongestUser = 20;
    out_ += "://";
    const auto word = text.substr(at, word_end(text, at) - at);
    auto authority = word.substr(0, word.find_first_of("/?#"));
    auto sign = authority.rfind('@');
    if (sign == authority.npos) {
      // A password with a slash in it, which it should not have: the colon gives it away.
      const auto colon = authority.find(':');
      if (colon == authority.npos || colon + 1 == authority.size()) return at;
      const auto port = authority.substr(colon + 1);
      if (port.find_first_not_of("0123456789") == port.npos) return at;
      sign = word.find('@');
      if (sign == word.npos) return at;
    }
    const auto user = word.substr(0, sign);
    const auto colon = user.find(':');
    if (colon != user.npos) {
      out_ += user.substr(0, colon + 1);
      if (colon + 1 < user.size()) out_ += kMask;
    } else if (user.size() > kLongestUser || token_length(user) > 0) {
      out_ += kMask;
    } else {
      return at;
    }
    return at + sign;
  }

  // user:password@host without a scheme. image:tag@sha256:... is no such thing.
  std::optional<std::size_t> user_and_password(std::string_view word) {
    const auto colon = word.find_first_of(":@/=");
    if (colon == word.npos || colon == 0 || word[colon] != ':') return {};
    const auto sign = word.find('@', colon);
    if (sign == word.npos || sign == colon + 1 || word.substr(colon).starts_with("://")) return {};
    if (word.substr(sign).starts_with("@sha256:") || sign + 1 == word.size()) return {};
    if (is_option(word) || word.find('/', colon) < sign) return {};
    out_ += word.substr(0, colon + 1);
    out_ += kMask;
    return sign;
  }

  void note_program(std::string_view word) {
    const auto name = base_name(word);
    for (const auto& option : secret_options()) {
      if (!name.empty() && option.program == name) {
        program_ = name;
        command_.clear();
      }
      if (!option.command.empty() && option.command == word) command_ = word;
    }
  }

  std::optional<std::size_t> short_option(std::string_view word) {
    for (const auto& option : secret_options()) {
      if (!option.program.empty() && option.program != program_) continue;
      if (!word.starts_with(option.option)) continue;
      if (!option.command.empty() && option.command != command_) continue;
      auto rest = word.substr(option.option.size());
      const bool is_long = option.option.starts_with("--");
      if (is_long && !rest.empty() && rest[0] != '=') continue;
      if (rest.empty()) {
        if (option.form == Form::Attached) return {};
        out_ += word;
        await(awaited_after(option.form), true);
        return word.size();
      }
      if (option.form == Form::Next || option.form == Form::LikelyPair) continue;
      if (is_long) rest.remove_prefix(1);
      out_ += word.substr(0, word.size() - rest.size());
      const auto masked = shown(awaited_after(option.form), rest);
      out_ += masked ? *masked : std::string(rest);
      return word.size();
    }
    return {};
  }

  std::string out_;
  bool started_ = false;
  bool in_script_ = false;  // the argument follows -c: a shell's or Python's text
  Awaited awaited_ = Awaited::Nothing;
  bool awaited_for_sure_ = false;  // even if it begins with a dash
  std::string program_;            // the last word that names one of secret_options()' programs
  std::string command_;            // and its command
};

// Not in the middle of a character.
std::string cut(std::string text) {
  if (text.size() <= kLongest) return text;
  auto end = kLongest - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text.append(kEllipsis);
}

}  // namespace

std::string masked_command(const std::vector<std::string>& arguments) {
  Masker masker;
  std::size_t left = kLookedAt;
  bool all = true;
  for (const auto& argument : arguments) {
    masker.add(std::string_view(argument).substr(0, left));
    all = argument.size() <= left;
    left -= std::min(argument.size(), left);
    if (!all || left == 0) break;
  }
  auto line = masker.take();
  if (!all || left == 0) line.append(kEllipsis);
  return cut(std::move(line));
}

}  // namespace tidegauge::proc
