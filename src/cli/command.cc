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

#include "base/text.h"
#include "cli/terminfo.h"
#include "view/ink.h"

namespace tidegauge::cli {

namespace {

constexpr int kColumnsInAPipe = 100;
constexpr int kFewestColumns = 20;
constexpr int kFewColours = 8;
constexpr int kManyColours = 256;

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

void put(std::FILE* to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

void put_words(std::FILE* to, std::string_view text) {
  const bool terminal = ::isatty(::fileno(to)) == 1;
  put(to, terminal ? std::string(text) : view::with_plain_blanks(std::string(text)));
}

int fail(std::string_view command, ExitCode code, std::string_view message) {
  warn(command, message);
  return code;
}

void warn(std::string_view command, std::string_view message) {
  auto text = fmt::format("tidegauge {}:", command);
  // Whatever was typed, or found in a file, may be in it.
  char before = ' ';
  do {
    text += before + printable(next_line(message));
    before = '\n';
  } while (!message.empty());
  put_words(stderr, text + "\n");
}

ExitCode exit_code_of(const Error& error) {
  return error.reason == Reason::Malformed ? kWrongUse : kCouldNotLook;
}

Paper paper_of(int fd) {
  Paper paper;
  paper.terminal = ::isatty(fd) == 1;
  const int colours =
      paper.terminal && !set_and_not_empty("NO_COLOR") ? terminal_skills().colours : 0;
  paper.colour = colours >= kFewColours;
  paper.few_colours = colours < kManyColours;
  // In a pipe the reader's locale is not ours to know; UTF-8 is what files hold today.
  paper.unicode = !paper.terminal || std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  paper.columns = kColumnsInAPipe;
  winsize size{};
  if (paper.terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    paper.columns = std::max<int>(size.ws_col, kFewestColumns);
  }
  return paper;
}

view::Summary::Paint paint_of(const Paper& paper) {
  return {.colour = paper.colour,
          .few_colours = paper.few_colours,
          .unicode = paper.unicode,
          .columns = paper.columns,
          .terminal = paper.terminal};
}

}  // namespace tidegauge::cli
