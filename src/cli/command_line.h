// SPDX-License-Identifier: Apache-2.0
// What a command takes: words, options, flags. CLI11 does the work; it takes four seconds to
// compile, so nobody but command_line.cc sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace CLI {
class Option;
}

namespace tidegauge::cli {

// What is wrong with a word, for "COMMAND: --option: …"; empty: nothing.
using Complaint = std::function<std::string(const std::string& word)>;

// One of a CommandLine's, which owns it. Each of these returns the option itself.
class CommandOption {
 public:
  CommandOption* type_name(const std::string& name);  // as --help shows what goes after it
  CommandOption* required();
  CommandOption* check(const Complaint& complaint);
  CommandOption* within(int least, int most);
  CommandOption* within(double least, double most);
  CommandOption* positive();
  CommandOption* delimiter(char between);  // several values in one word
  CommandOption* show_default();           // --help shows what the target holds now
  CommandOption* excludes(CommandOption* other);
  CommandOption* needs(CommandOption* other);
  std::size_t count() const;  // how often it was given

 private:
  friend class CommandLine;
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  CLI::Option* option_;
};

class CommandLine {
 public:
  CommandLine(const std::string& summary, const std::string& command);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-q,--quiet", or "PID" for a word by its place. `target` is filled by parse() and has
  // to live until then. Its types are those at the end of command_line.cc: add yours there.
  template <typename T>
  CommandOption* add_option(const std::string& names, T& target, const std::string& help);
  // "--live,!--no-live" sets and clears; "--again{10}" sets to 10, or to N with --again=N.
  template <typename T>
  CommandOption* add_flag(const std::string& names, T& target, const std::string& help);
  // For a word with a form of its own: `take` keeps what it stands for, or says what is wrong.
  CommandOption* add_parsed(const std::string& name, const Complaint& take,
                            const std::string& help);

  void footer(const std::string& text);
  void stop_at_a_word();  // the first word that is no option, and all after it, are remaining()

  // A value is the exit code to leave with at once: 0 after --help, 2 after an error that has been
  // printed with the way to --help.
  std::optional<int> parse(Words words);
  std::size_t count(const std::string& name) const;
  std::vector<std::string> remaining() const;

 private:
  CommandOption* keep(CLI::Option* option);

  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tidegauge::cli
