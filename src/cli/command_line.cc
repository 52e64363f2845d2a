// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <type_traits>

#include "base/text.h"

namespace tidegauge::cli {

CommandOption* CommandOption::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

CommandOption* CommandOption::required() {
  option_->required();
  return this;
}

CommandOption* CommandOption::check(const Complaint& complaint) {
  option_->check(complaint);
  return this;
}

CommandOption* CommandOption::within(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}

CommandOption* CommandOption::within(double least, double most) {
  option_->check(CLI::Range(least, most));
  return this;
}

CommandOption* CommandOption::positive() {
  option_->check([](const std::string& text) -> std::string {
    const auto number = to_number<double>(text);
    const bool fits = number && std::isfinite(*number) && *number > 0;
    return fits ? "" : "'" + printable(text) + "' is no number above 0";
  });
  return this;
}

CommandOption* CommandOption::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

CommandOption* CommandOption::show_default() {
  option_->capture_default_str();
  return this;
}

CommandOption* CommandOption::excludes(CommandOption* other) {
  option_->excludes(other->option_);
  return this;
}

CommandOption* CommandOption::needs(CommandOption* other) {
  option_->needs(other->option_);
  return this;
}

std::size_t CommandOption::count() const {
  return option_->count();
}

namespace {

// CLI11 takes NaN for a number, and it is neither below a bound nor above one.
std::string not_a_number(const std::string& word) {
  if (!std::isnan(std::strtod(word.c_str(), nullptr))) return "";
  return "'" + word + "' is no number";
}

// "--for: At Most 1 required but received 2", as CLI11 says it.
std::string in_our_words(const std::string& what) {
  constexpr std::string_view kTooOften = ": At Most 1 required but received ";
  const auto at = what.find(kTooOften);
  if (at == what.npos) return what;
  return fmt::format("{} was given {} times; once is enough", what.substr(0, at),
                     what.substr(at + kTooOften.size()));
}

}  // namespace

struct CommandLine::Inside {
  CLI::App app;
  std::deque<CommandOption> options;  // which stay where they are when others come
};

CommandLine::CommandLine(const std::string& summary, const std::string& command)
    : inside_(new Inside{CLI::App(summary, "tidegauge " + command), {}}) {}

CommandLine::~CommandLine() = default;

CommandOption* CommandLine::keep(CLI::Option* option) {
  inside_->options.push_back(CommandOption(option));
  return &inside_->options.back();
}

template <typename T>
CommandOption* CommandLine::add_option(const std::string& names, T& target,
                                       const std::string& help) {
  auto* const option = inside_->app.add_option(names, target, help);
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
    option->check(not_a_number);
  }
  return keep(option);
}

template <typename T>
CommandOption* CommandLine::add_flag(const std::string& names, T& target, const std::string& help) {
  return keep(inside_->app.add_flag(names, target, help));
}

CommandOption* CommandLine::add_parsed(const std::string& name, const Complaint& take,
                                       const std::string& help) {
  const auto take_or_throw = [name, take](const std::string& word) {
    if (const auto wrong = take(word); !wrong.empty()) throw CLI::ValidationError(name, wrong);
  };
  return keep(inside_->app.add_option_function<std::string>(name, take_or_throw, help));
}

void CommandLine::footer(const std::string& text) {
  inside_->app.footer(text);
}

void CommandLine::stop_at_a_word() {
  inside_->app.prefix_command();
}

std::optional<int> CommandLine::parse(Words words) {
  auto& app = inside_->app;
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order CLI11 wants
    app.parse(reversed);
    return {};
  } catch (const CLI::CallForHelp&) {
    put(stdout, app.help());
    return kNothingWrong;
  } catch (const CLI::ParseError& error) {
    put(stderr, fmt::format("{}: {}\nTry '{} --help'.\n", app.get_name(),
                            printable(in_our_words(error.what())), app.get_name()));
    return kWrongUse;
  }
}

std::size_t CommandLine::count(const std::string& name) const {
  return inside_->app.count(name);
}

std::vector<std::string> CommandLine::remaining() const {
  return inside_->app.remaining();
}

template CommandOption* CommandLine::add_option(const std::string&, std::string&,
                                                const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, std::vector<std::string>&,
                                                const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, std::vector<int>&,
                                                const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, int&, const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, std::optional<int>&,
                                                const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, std::size_t&,
                                                const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, double&, const std::string&);
template CommandOption* CommandLine::add_option(const std::string&, std::optional<double>&,
                                                const std::string&);
template CommandOption* CommandLine::add_flag(const std::string&, bool&, const std::string&);
template CommandOption* CommandLine::add_flag(const std::string&, int&, const std::string&);

}  // namespace tidegauge::cli
