// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/fd.h"
#include "base/inherited.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/nearest.h"

namespace {

using tidegauge::cli::Command;
using tidegauge::cli::commands;

constexpr const char* kExamples = R"(
examples:
  tidegauge run -- python train.py          start a job and judge its memory
  tidegauge watch --name train.py           follow one that already runs
  tidegauge judge memory.csv --limit 32GB   judge numbers that you have
  tidegauge doctor                          what can be measured here

'tidegauge COMMAND --help' or 'tidegauge help COMMAND' tells more.
Exit codes: 0 nothing wrong; 1 what calls for action: a leak, a limit likely reached or passed, or a
process that the kernel killed for lack of memory; 2 wrong use or senseless input; 3 could not look.
run exits as its job did.
)";

int print_help(std::FILE* to) {
  std::string text = "tidegauge: is it a leak, a warm-up, spikes, or not decidable yet?\n\n";
  text += "usage: tidegauge COMMAND [options]\n\ncommands:\n";
  for (const auto& command : commands()) {
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  }
  tidegauge::cli::put(to, text + kExamples);
  return to == stdout ? tidegauge::cli::kNothingWrong : tidegauge::cli::kWrongUse;
}

int unknown(const std::string& name) {
  fmt::print(stderr, "tidegauge: there is no command '{}'", tidegauge::printable(name));
  std::vector<std::string_view> names;
  for (const auto& command : commands()) names.push_back(command.name);
  if (const auto near = tidegauge::cli::nearest(name, names); !near.empty()) {
    fmt::print(stderr, "; did you mean '{}'?", near);
  }
  fmt::print(stderr, "\nTry 'tidegauge --help'.\n");
  return tidegauge::cli::kWrongUse;
}

const Command* find(std::string_view name) {
  for (const auto& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

bool asks_for_help(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

int help_on(const std::string& name) {
  if (asks_for_help(name)) return print_help(stdout);
  const auto* command = find(name);
  const std::vector<std::string> words = {"--help"};
  return command != nullptr ? command->run(words) : unknown(name);
}

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) return print_help(stderr);
  const bool help = asks_for_help(words[0]);
  if (help && words.size() > 1) return help_on(words[1]);
  if (help) return print_help(stdout);
  if (words[0] == "--version" || words[0] == "-V") {
    tidegauge::cli::put(stdout, fmt::format("{}\n", tidegauge::cli::kTool));
    return tidegauge::cli::kNothingWrong;
  }
  if (const auto* command = find(words[0])) return command->run(std::span(words).subspan(1));
  return unknown(words[0]);
}

// Why not all of what was written to stdout has arrived; 0 if it has.
int output_error() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (!failed_before) return std::fflush(stdout) == 0 ? 0 : errno;
  // Nobody keeps why; what is broken already loses nothing by one more try, which tells.
  std::clearerr(stdout);
  errno = EIO;
  std::fputc('\n', stdout);
  std::fflush(stdout);
  return errno;
}

// Whoever redirects what we say must not take half of it for all. A reader that has left knows.
int with_output_checked(int code) {
  const int error = output_error();
  if (error == 0 || error == EPIPE) return code;
  tidegauge::cli::put(stderr, fmt::format("tidegauge: cannot write to standard output: {}\n",
                                          std::strerror(error)));
  return tidegauge::cli::kCouldNotLook;
}

// Our files must not take the place of an input or output that was closed when we were started:
// what somebody writes there would end up in the recording. What is there instead fails as a closed
// one does, and a job finds it closed, as we did.
void fill_closed_files() {
  int fd = STDIN_FILENO;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/", O_PATH | O_CLOEXEC);
  const tidegauge::UniqueFd one_too_many(fd);
}

}  // namespace

int main(int argc, char** argv) {
  tidegauge::use_what_is_allowed();
  fill_closed_files();
  std::setlocale(LC_CTYPE, "");
  try {
    return with_output_checked(
        dispatch(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc)));
  } catch (const std::bad_alloc&) {
    tidegauge::cli::put(stderr, "tidegauge: there is too little memory (ulimit -v -d)\n");
    return tidegauge::cli::kCouldNotLook;
  } catch (const std::system_error& error) {  // of threads
    tidegauge::cli::put(stderr,
                        fmt::format("tidegauge: {} (ulimit -u -v -d, pids.max)\n", error.what()));
    return tidegauge::cli::kCouldNotLook;
  } catch (const std::exception& error) {
    // Only a bug comes here; a core dump would help less than a sentence.
    tidegauge::cli::put(stderr, fmt::format("tidegauge: internal error: {}\n", error.what()));
    return tidegauge::cli::kCouldNotLook;
  }
}
