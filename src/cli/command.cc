// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tidegauge::cli {

namespace {

constexpr int kColumnsInAPipe = 100;
constexpr int kFewestColumns = 20;

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::strcmp(term, "dumb") == 0;
}

}  // namespace

void put(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

int fail(std::string_view command, ExitCode code, std::string_view message) {
  put(stderr, fmt::format("tidegauge {}: {}\n", command, message));
  return code;
}

ExitCode exit_code_of(const Error& error) {
  return error.reason == Reason::Malformed ? kWrongUse : kCouldNotLook;
}

Paper paper_of(int fd) {
  Paper paper;
  paper.terminal = ::isatty(fd) == 1;
  paper.colour = paper.terminal && !set_and_not_empty("NO_COLOR") && !dumb_terminal();
  // In a pipe the reader's locale is not ours to know; UTF-8 is what files hold today.
  paper.unicode = !paper.terminal || std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  paper.columns = kColumnsInAPipe;
  winsize size{};
  if (paper.terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    paper.columns = std::max<int>(size.ws_col, kFewestColumns);
  }
  return paper;
}

}  // namespace tidegauge::cli
