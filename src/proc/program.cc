// SPDX-License-Identifier: Apache-2.0
#include "proc/program.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tidegauge::proc {

namespace {

constexpr std::array kPythons{std::string_view("python"), std::string_view("pypy"),
                              std::string_view("ipython"), std::string_view("graalpy")};
constexpr std::array kShells{
    std::string_view("sh"),  std::string_view("bash"), std::string_view("dash"),
    std::string_view("zsh"), std::string_view("ksh"),  std::string_view("fish"),
    std::string_view("ash"), std::string_view("tcsh"), std::string_view("busybox")};

constexpr std::array kOthers{std::string_view("perl"), std::string_view("ruby"),
                             std::string_view("node")};

// Options of the interpreters whose value is the next argument.
constexpr std::string_view kPythonWithValue = "WX";
constexpr std::string_view kShellWithValue = "oO";

bool is_version(std::string_view text) {  // "", "3", "3.13t", "-config" is none
  return text.find_first_not_of("0123456789.td") == std::string_view::npos;
}

bool is_shell(std::string_view file) {
  auto name = base_name(file);
  if (name.starts_with('-')) name.remove_prefix(1);  // a login shell calls itself "-bash"
  return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

Language language_of(std::string_view file) {
  if (is_python(file)) return Language::Python;
  if (is_shell(file)) return Language::Shell;
  const bool other = std::find(kOthers.begin(), kOthers.end(), base_name(file)) != kOthers.end();
  return other ? Language::Other : Language::None;
}

std::vector<std::string_view> views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) words.push_back(word);
  return words;
}

bool holds_text(Language language, char option) {  // -c, and -e of the others
  return language == Language::Other ? option == 'e' : option == 'c';
}

// The word after an interpreter's own options.
Program inside(Language language, std::span<const std::string> words) {
  Program program{.language = language};
  const auto with_value = language == Language::Python ? kPythonWithValue : kShellWithValue;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--" || word == "-") continue;
    if (!word.starts_with('-') && !(language == Language::Shell && word.starts_with('+'))) {
      program.name = base_name(word);
      program.rest = views(words.subspan(i + 1));
      return program;
    }
    if (word.starts_with("--")) continue;
    const char last = word.back();  // options may be run together: -uc, -Im
    const bool text = holds_text(language, last);
    if (text || (last == 'm' && language == Language::Python)) {
      if (i + 1 >= words.size()) return program;
      program.name = words[i + 1];
      program.is_module = !text;
      program.is_inline = text;
      program.rest = views(words.subspan(i + 2));
      return program;
    }
    if (word.size() == 2 && with_value.find(last) != std::string_view::npos) ++i;
  }
  return program;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_python(std::string_view file) {
  const auto name = base_name(file);
  return std::any_of(kPythons.begin(), kPythons.end(), [&](std::string_view python) {
    return name.starts_with(python) && is_version(name.substr(python.size()));
  });
}

Program program_of(std::span<const std::string> arguments, std::string_view comm) {
  if (arguments.empty() || arguments[0].empty()) return {.name = std::string(comm)};
  const auto language = language_of(arguments[0]);
  if (language != Language::None) {
    auto program = inside(language, arguments.subspan(1));
    if (program.name.empty()) program.name = base_name(arguments[0]);
    return program;
  }
  // One argument with blanks is a title that the process gave itself: "slurmstepd: [12.0]", "npm
  // run x". A file name may have blanks too, but then it begins with a slash.
  if (arguments.size() == 1 && !arguments[0].starts_with('/')) {
    auto words = split(arguments[0]);
    if (words.empty()) return {.name = std::string(comm)};
    Program program{.name = std::string(base_name(words[0]))};
    program.rest.assign(words.begin() + 1, words.end());
    return program;
  }
  return {.name = std::string(base_name(arguments[0])), .rest = views(arguments.subspan(1))};
}

}  // namespace tidegauge::proc
