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

enum class Form {  // of the option and its value
  Attached,        // -pSECRET; a -p alone asks for it
  Next,            // -a SECRET
  Either,          // -pSECRET or -p SECRET
  Pair,            // -u user:SECRET, in either way
  CommaPair,       // -u user,SECRET
  Cookie,          // -b name=SECRET
  Certificate,     // -E file:SECRET
};

// Options that mean a secret in these programs and something harmless elsewhere.
struct SecretOption {
  std::string_view program;
  std::string_view command;  // of the program; empty: all of them
  std::string_view option;
  Form form;
};
constexpr SecretOption kOptions[] = {
    {"mysql", "", "-p", Form::Attached},
    {"mysqldump", "", "-p", Form::Attached},
    {"mysqladmin", "", "-p", Form::Attached},
    {"mysqlimport", "", "-p", Form::Attached},
    {"mysqlcheck", "", "-p", Form::Attached},
    {"mysqlsh", "", "-p", Form::Attached},
    {"mariadb", "", "-p", Form::Attached},
    {"mariadb-dump", "", "-p", Form::Attached},
    {"mongo", "", "-p", Form::Either},
    {"mongosh", "", "-p", Form::Either},
    {"mongodump", "", "-p", Form::Either},
    {"mongorestore", "", "-p", Form::Either},
    {"redis-cli", "", "-a", Form::Next},
    {"sshpass", "", "-p", Form::Either},
    {"docker", "login", "-p", Form::Either},
    {"podman", "login", "-p", Form::Either},
    {"helm", "login", "-p", Form::Either},
    {"az", "login", "-p", Form::Next},
    {"oc", "login", "-p", Form::Either},
    {"twine", "", "-p", Form::Either},
    {"curl", "", "-u", Form::Pair},
    {"curl", "", "-U", Form::Pair},
    {"curl", "", "-b", Form::Cookie},
    {"curl", "", "-E", Form::Certificate},
    {"http", "", "-a", Form::Pair},
    {"https", "", "-a", Form::Pair},
    {"lftp", "", "-u", Form::CommaPair},
    {"ldapsearch", "", "-w", Form::Either},
    {"ldapmodify", "", "-w", Form::Either},
    {"ldapadd", "", "-w", Form::Either},
    {"ldappasswd", "", "-s", Form::Either},
    {"unzip", "", "-P", Form::Either},
    {"zip", "", "-P", Form::Either},
    {"7z", "", "-p", Form::Attached},
    {"7za", "", "-p", Form::Attached},
    {"rar", "", "-p", Form::Attached},
    {"rar", "", "-hp", Form::Attached},
    {"7z", "", "-hp", Form::Attached},
    {"unrar", "", "-p", Form::Attached},
    {"sqlcmd", "", "-P", Form::Either},
    {"bcp", "", "-P", Form::Either},
    {"snowsql", "", "-p", Form::Either},
    {"mosquitto_pub", "", "-P", Form::Either},
    {"mosquitto_sub", "", "-P", Form::Either},
    {"openssl", "", "-k", Form::Next},
    {"openssl", "", "-K", Form::Next},
    {"openssl", "", "-pass", Form::Next},
    {"openssl", "", "-hmac", Form::Next},
    {"useradd", "", "-p", Form::Either},
    {"usermod", "", "-p", Form::Either},
    {"ipmitool", "", "-P", Form::Either},
    {"smbclient", "", "-U", Form::Pair},
    {"rsync", "", "--password", Form::Next},
    {"rdesktop", "", "-p", Form::Either},
    {"ssh-keygen", "", "-N", Form::Next},
    {"ssh-keygen", "", "-P", Form::Next},
    {"snmpwalk", "", "-c", Form::Either},
    {"snmpwalk", "", "-A", Form::Either},
    {"snmpwalk", "", "-X", Form::Either},
    {"snmpget", "", "-c", Form::Either},
    {"snmpget", "", "-A", Form::Either},
    {"snmpget", "", "-X", Form::Either},
    {"snmpset", "", "-c", Form::Either},
    {"snmpset", "", "-A", Form::Either},
    {"snmpset", "", "-X", Form::Either},
    {"snmptrap", "", "-c", Form::Either},
    {"snmpbulkwalk", "", "-c", Form::Either},
};

// The letters of a program's short options that take a value: "-sSu joe:pw" is -s -S -u joe:pw.
struct ValueLetters {
  std::string_view program;
  std::string_view letters;
};
constexpr ValueLetters kValueLetters[] = {
    {"curl", "AbcCdDeEFhHKmoPQrtTuUwxXyYz"},    {"mysql", "uhPDeSp"},
    {"ldapsearch", "abDdeEfFhHlopPRsSTUwXyYz"}, {"ldapmodify", "bDdeEfhHopPRSUwXyYz"},
    {"ldapadd", "bDdeEfhHopPRSUwXyYz"},
};

// Where -u means user and group, or a number.
constexpr std::string_view kContainers[] = {"docker", "podman",  "nerdctl", "chroot", "crictl",
                                            "bwrap",  "setpriv", "kubectl", "runc"};

Secrecy secrecy_in(Form form) {
  switch (form) {
    case Form::Pair:
      return Secrecy::Pair;
    case Form::Cookie:
      return Secrecy::Cookie;
    case Form::Certificate:
      return Secrecy::Certificate;
    default:
      return Secrecy::Secret;
  }
}

template <class Range>
bool has(const Range& range, std::string_view item) {
  return std::find(std::begin(range), std::end(range), item) != std::end(range);
}

bool is_user_option(std::string_view word) {
  constexpr std::string_view kUser[] = {"-u", "-U", "-l", "--user", "--username", "-user", "-D"};
  return has(kUser, word);
}

bool is_password_letter(std::string_view word) {
  return word == "-p" || word == "-P" || word == "-w" || word == "-W";
}

class OptionValues {
 public:
  OptionValues(const Line& line, Hidden& hidden) : line_(line), hidden_(hidden) {}

  void hide() {
    for (std::size_t i = 0; i < line_.words.size(); ++i) {
      const auto word = line_.word(i);
      note_program(word);
      if (word.size() < 2) continue;
      if (word[0] == '-' && !hide_known(i, word)) hide_likely(i, word);
      logs_in_ =
          logs_in_ || is_user_option(word) || word == "-h" || word == "-H" || word == "--host";
      if (word[0] == '/' && program_.find("freerdp") != program_.npos && word.starts_with("/p:")) {
        hidden_.add({line_.words[i].place.begin + 3, line_.words[i].place.end});
      }
      hide_literal(i, word);
      hide_fields(i, word);
    }
  }

 private:
  void note_program(std::string_view word) {
    if (word.empty() || word[0] == '-') return;
    if (word == "|" || word == ";" || word == "&&" || word == "||") {
      program_ = command_ = {};
      fields_are_secret_ = of_secrets_ = logs_in_ = false;
      return;
    }
    // "vault kv put", "fly secrets set", "aws secretsmanager create-secret": what is given to them
    // as a value is one.
    of_secrets_ = of_secrets_ || word == "secret" || word == "secrets" || word == "ssm" ||
                  word == "secretsmanager" || word == "vault";
    fields_are_secret_ = fields_are_secret_ || (of_secrets_ && keeps_secret(word));
    const auto name = file_name(word);
    const bool known =
        std::any_of(std::begin(kOptions), std::end(kOptions),
                    [&](const SecretOption& option) { return option.program == name; });
    if (known || has(kContainers, name) || name.find("freerdp") != name.npos) {
      program_ = name;
      command_ = {};
    } else if (word == "login") {
      command_ = word;
    }
  }

  static bool keeps_secret(std::string_view word) {
    constexpr std::string_view kVerbs[] = {"put", "patch", "write", "set", "import", "update"};
    return has(kVerbs, word) || word.starts_with("put-") || word.starts_with("create-");
  }

  bool hide_known(std::size_t index, std::string_view word) {
    for (const auto& option : kOptions) {
      if (option.program != program_) continue;
      if (!option.command.empty() && option.command != command_) continue;
      const auto letter = place_of(option, word);
      if (!letter) continue;
      const auto end = *letter + option.option.size() - 1;
      const auto place = line_.words[index].place;
      if (end < word.size()) {
        if (option.form == Form::Next) continue;
        hide_value(option.form, {place.begin + end, place.end});
        return true;
      }
      if (option.form == Form::Attached) return true;
      const auto value = next_value(line_, index);
      if (value && !is_option(line_.of(*value))) hide_value(option.form, *value);
      return true;
    }
    return false;
  }

  void hide_value(Form form, Span place) {
    if (form != Form::CommaPair) return hide_in(secrecy_in(form), place);
    const auto comma = line_.of(place).find(',');
    if (comma == std::string_view::npos) return hide_in(Secrecy::Pair, place);
    hidden_.add({place.begin + comma + 1, place.end});
  }

  // Where the letter of an option stands in a word, alone or after others: 1 in "-u", 3 in "-sSu".
  std::optional<std::size_t> place_of(const SecretOption& option, std::string_view word) const {
    if (option.form == Form::Attached && option.option.size() > 2) {
      return word.starts_with(option.option) ? std::optional<std::size_t>(1) : std::nullopt;
    }
    if (word.starts_with("--") || option.option.size() > 2) {
      return word == option.option ? std::optional<std::size_t>(1) : std::nullopt;
    }
    const char letter = option.option[1];
    if (word[1] == letter) return 1;
    for (const auto& known : kValueLetters) {
      if (known.program != program_) continue;
      const auto first = word.find_first_of(known.letters, 1);
      if (first != word.npos && word[first] == letter) return first;
    }
    return {};
  }

  // Of any program: "-u user:password", "-u user -p password".
  void hide_likely(std::size_t index, std::string_view word) {
    const auto value = next_value(line_, index);
    if (!value) return;
    const auto text = line_.of(*value);
    if (word.size() > 1 && word[1] != '-' && (word.back() == 'u' || word.back() == 'U') &&
        word.size() < 7 && !has(kContainers, program_)) {
      hide_in(Secrecy::LikelyPair, *value);
    }
    if (!is_password_letter(word) || is_option(text) || is_plain_value(text) || is_number(text) ||
        text.find('/') != text.npos || text.find(':') != text.npos || is_path(text)) {
      return;
    }
    // -u joe -p secret: nothing between them.
    const bool after_user =
        index >= 2 && is_user_option(line_.word(index - 2)) && !is_option(line_.word(index - 1));
    const bool asks = program_.starts_with("mysql") || program_.starts_with("mariadb");
    if (!asks && (after_user || (logs_in_ && looks_typed(text)))) hidden_.add(*value);
  }

  // --from-literal=name=value
  void hide_literal(std::size_t index, std::string_view word) {
    constexpr std::string_view kOption = "--from-literal";
    if (!word.starts_with(kOption)) return;
    auto place = line_.words[index].place;
    if (word.size() > kOption.size()) {
      place.begin += kOption.size() + 1;
    } else if (const auto value = next_value(line_, index)) {
      place = *value;
    }
    hide_field(place);
  }

  // vault kv put path name=value ...
  void hide_fields(std::size_t index, std::string_view word) {
    if (!fields_are_secret_) return;
    if (word[0] != '-') return hide_field(line_.words[index].place);
    if (word != "--value" && word != "--body" && word != "-b") return;
    const auto value = next_value(line_, index);
    if (value && !is_option(line_.of(*value))) hide_in(Secrecy::File, *value);
  }

  void hide_field(Span place) {
    const auto text = line_.of(place);
    const auto sign = text.find('=');
    if (sign == text.npos) return;
    hide_in(Secrecy::File, {place.begin + sign + 1, place.end});
  }

  void hide_in(Secrecy secrecy, Span place) {
    const auto part = secret_part(secrecy, line_.of(place));
    if (part) hidden_.add({place.begin + part->begin, place.begin + part->end});
  }

  const Line& line_;
  Hidden& hidden_;
  std::string_view program_{};      // the last word that names one of the programs above
  std::string_view command_{};      // and its command
  bool of_secrets_ = false;         // it keeps secrets,
  bool fields_are_secret_ = false;  // and is to keep one
  bool logs_in_ = false;            // a user or a host was named
};

}  // namespace

void hide_option_values(const Line& line, Hidden& hidden) {
  OptionValues(line, hidden).hide();
}

}  // namespace tidegauge::secrets
