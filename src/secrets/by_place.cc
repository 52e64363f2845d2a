// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "secrets/finders.h"
#include "secrets/names.h"
#include "secrets/parts.h"
#include "secrets/values.h"

namespace tidegauge::secrets {

namespace {

template <class Range>
bool has(const Range& range, std::string_view item) {
  return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

bool ends_command(std::string_view word) {
  return word == "|" || word == ";" || word == "&&" || word == "||";
}

bool ends_with_any_case(std::string_view word, std::string_view end) {
  return word.size() >= end.size() &&
         std::equal(end.begin(), end.end(), word.end() - std::ssize(end), [](char a, char b) {
           return a == (is_upper(b) ? static_cast<char>(b - 'A' + 'a') : b);
         });
}

class Places {
 public:
  Places(const Line& line, Hidden& hidden) : line_(line), text_(line.text), hidden_(hidden) {}

  void hide() {
    std::size_t follow = 0;  // how many more words may be the secret of a command before
    bool typed = false;      // what a person may have typed is enough
    for (std::size_t i = 0; i < line_.words.size(); ++i) {
      const auto word = line_.word(i);
      if (ends_command(word)) {
        follow = 0;
        continue;
      }
      if ((word == "echo" || word == "printf") && !line_.words[i].whole) hide_piped(i);
      if (word == "<<<") hide_here(i);
      if (i > 1 && is_identified_by(line_.word(i - 2), line_.word(i - 1)) &&
          !is_plain_value(word)) {
        hidden_.add(line_.words[i].place);
      }
      if (i > 0 && is_oracle(file_name(line_.word(i - 1)))) hide_after_slash(i, word);
      if (follow > 0 && !is_option(word)) {
        --follow;
        hide_positional(i, word, typed);
      }
      if (is_login(word)) {
        follow = kMostArguments;
        typed = false;
      } else if (sets_password(word)) {
        follow = kMostArguments;
        typed = true;
      }
    }
    calls();
  }

 private:
  static constexpr std::size_t kMostArguments = 4;

  static bool is_login(std::string_view word) {
    constexpr std::string_view kLogins[] = {"login",  "relogin", "signin",   "unlock",
                                            "unseal", "auth",    "authtoken"};
    return has(kLogins, word);
  }

  // CREATE USER joe IDENTIFIED BY 'secret'
  static bool is_identified_by(std::string_view first, std::string_view second) {
    return second.size() == 2 && ends_with_any_case(second, "by") &&
           ends_with_any_case(first, "identified");
  }

  // sqlplus user/password
  static bool is_oracle(std::string_view program) {
    constexpr std::string_view kPrograms[] = {"sqlplus", "impdp",  "expdp", "imp",
                                              "exp",     "sqlldr", "rman"};
    return has(kPrograms, program);
  }
  void hide_after_slash(std::size_t index, std::string_view word) {
    const auto slash = word.find('/');
    if (slash == word.npos || slash == 0 || is_path(word)) return;
    const auto place = line_.words[index].place;
    hidden_.add({place.begin + slash + 1, place.begin + std::min(word.find('@'), word.size())});
  }

  // A program or a command with a password in its name: change_password, smbpasswd.
  static bool sets_password(std::string_view word) {
    if (is_option(word) || word.find_first_of("=:/.") != word.npos) return false;
    return ends_with_any_case(word, "passwd") || ends_with_any_case(word, "password") ||
           ends_with_any_case(word, "adduser") || ends_with_any_case(word, "add_user") ||
           ends_with_any_case(word, "add-user") || ends_with_any_case(word, "passphrase") ||
           ends_with_any_case(word, "authtoken");
  }

  void hide_positional(std::size_t index, std::string_view word, bool typed) {
    constexpr std::string_view kSpecial = "!@#$%^&*+?~";
    if (is_path(word) || word.find('/') == 0 || word.find("://") != word.npos) return;
    const bool random = looks_random(word) && !is_host(word);
    const bool strong = looks_typed(word) && word.find_first_of(kSpecial) != word.npos;
    // The value of an option, most likely; unless that is -p or -w.
    const auto before = line_.word(index - 1);
    const bool of_option = is_option(before) && before != "-p" && before != "-w";
    if (random || strong || (typed && !of_option && looks_typed(word))) {
      hidden_.add(line_.words[index].place);
    }
  }

  static bool is_host(std::string_view word) {
    const auto dot = word.rfind('.');
    return dot != word.npos && dot + 1 < word.size() && word.size() - dot < 6 &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(dot) + 1, word.end(), is_lower);
  }

  // echo SECRET | program that reads one
  void hide_piped(std::size_t echo) {
    const auto argument = line_.words[echo].argument;
    const auto is_here = [&](std::size_t i) {
      return i < line_.words.size() && line_.words[i].argument == argument;
    };
    auto bar = echo + 1;
    while (is_here(bar) && !ends_command(line_.word(bar))) ++bar;
    const bool piped = is_here(bar) && line_.word(bar) == "|" && reads_secret(bar + 1, argument);
    if (!piped && !is_kept_as_secret(echo, bar)) return;
    for (auto i = echo + 1; i < bar; ++i) {
      const auto word = line_.word(i);
      if (word == ">" || word == ">>") break;
      if (!is_option(word) && !word.starts_with('%') && !is_plain_value(word)) {
        hidden_.add(line_.words[i].place);
      }
    }
  }

  // echo SECRET > /run/secrets/db_password
  bool is_kept_as_secret(std::size_t echo, std::size_t end) const {
    for (auto i = echo + 1; i + 1 < end; ++i) {
      if (line_.word(i) != ">" && line_.word(i) != ">>") continue;
      const auto path = line_.word(i + 1);
      return path.find("secret") != path.npos || secrecy_of(file_name(path)) == Secrecy::Secret;
    }
    return false;
  }

  // program that reads a secret <<< SECRET
  void hide_here(std::size_t sign) {
    auto begin = sign;
    const auto argument = line_.words[sign].argument;
    while (begin > 0 && line_.words[begin - 1].argument == argument &&
           !ends_command(line_.word(begin - 1))) {
      --begin;
    }
    if (!reads_secret(begin, argument) || sign + 1 >= line_.words.size()) return;
    const auto value = line_.words[sign + 1];
    if (value.argument == argument && !is_plain_value(line_.of(value.place))) {
      hidden_.add(value.place);
    }
  }

  // The command at that word reads a secret from its input.
  bool reads_secret(std::size_t at, std::size_t argument) const {
    bool sudo = false;
    for (; at < line_.words.size() && line_.words[at].argument == argument; ++at) {
      const auto word = line_.word(at);
      if (ends_command(word)) return false;
      sudo = sudo || word == "sudo" || word == "su";
      if (word == "su" || (sudo && word.starts_with("-") && !word.starts_with("--") &&
                           word.find('S') != word.npos)) {
        return true;
      }
      if (is_reader(word)) return true;
    }
    return false;
  }

  static bool is_reader(std::string_view word) {
    constexpr std::string_view kReaders[] = {
        "chpasswd", "kinit",        "cryptsetup", "openconnect", "login",   "sshpass",
        "unlock",   "--with-token", "secret",     "secrets",     "--stdin", "--passwd-on-stdin"};
    if (has(kReaders, word) || ends_with_any_case(file_name(word), "passwd")) return true;
    // --password-stdin, --passphrase-fd
    constexpr std::string_view kEnds[] = {"-stdin", "-fd"};
    return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
      return word.starts_with("--") && word.ends_with(end) &&
             secrecy_of(word.substr(0, word.size() - end.size())) != Secrecy::None;
    });
  }

  // login('secret'), authenticate('user', 'secret'), set_password('service', 'user', 'secret')
  void calls() {
    for (auto at = text_.find('('); at != text_.npos; at = text_.find('(', at + 1)) {
      auto begin = at;
      while (begin > 0 && is_name(text_[begin - 1]) && at - begin < kLongestCall) --begin;
      const auto called = text_.substr(begin, at - begin);
      if (!takes_secret(called)) continue;
      const auto last = last_string(at + 1);
      if (last) {
        const auto part = secret_part(Secrecy::File, line_.of(*last));
        if (part) hidden_.add({last->begin + part->begin, last->begin + part->end});
      }
    }
  }

  static bool takes_secret(std::string_view called) {
    const auto name = called.substr(called.rfind('.') + 1);
    constexpr std::string_view kCalls[] = {"login",  "authenticate", "auth",  "Login",
                                           "signin", "sign_in",      "log_in"};
    if (has(kCalls, name)) return true;
    const bool sets = name.starts_with("set") || name.starts_with("Set") || name.starts_with("add");
    return sets && secrecy_of(name) == Secrecy::Secret;
  }

  // The last string of a call that is no named argument.
  std::optional<Span> last_string(std::size_t at) const {
    constexpr std::size_t kFar = 512;
    const auto far = std::min(at + kFar, text_.size());
    std::optional<Span> last;
    while (at < far && text_[at] != ')') {
      if (!is_quote(text_[at])) {
        ++at;
        continue;
      }
      const auto close = text_.find(text_[at], at + 1);
      if (close >= far) break;
      if (at == 0 || text_[at - 1] != '=') last = Span{at + 1, close};
      at = close + 1;
    }
    return last;
  }

  static constexpr std::size_t kLongestCall = 60;

  const Line& line_;
  std::string_view text_;
  Hidden& hidden_;
};

}  // namespace

void hide_by_place(const Line& line, Hidden& hidden) {
  Places(line, hidden).hide();
}

}  // namespace tidegauge::secrets
