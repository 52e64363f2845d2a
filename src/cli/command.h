// SPDX-License-Identifier: Apache-2.0
// What the commands share: their table, their manners on errors, and the terminal they talk to.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/exit_codes.h"
#include "view/summary.h"

namespace tidegauge::cli {

using Words = std::span<const std::string>;  // the words after the command's name

struct Command {
  std::string_view name;
  std::string_view summary;  // for `tidegauge --help`
  int (*run)(Words words);
};

// To add a command: write its file, declare it here, add its line to the table in commands.cc.
int watch(Words words);
int run(Words words);
int judge(Words words);
int report(Words words);
int serve(Words words);
int census(Words words);
int doctor(Words words);
int mark(Words words);
int ask(Words words);

std::span<const Command> commands();

inline constexpr std::string_view kTool = "tidegauge " TIDEGAUGE_VERSION;

// Writes `text`. That a reader has left or a disk is full is no reason to end otherwise than
// planned: fmt::print would throw.
void put(std::FILE* to, std::string_view text);

// The same for words of ours: with blanks for no-break spaces where `to` is no terminal.
void put_words(std::FILE* to, std::string_view text);

// Prints "tidegauge COMMAND: message" to stderr, with what would move a terminal's cursor or colour
// its text replaced: any part of a message may be somebody else's.
void warn(std::string_view command, std::string_view message);
// The same, and returns `code`.
int fail(std::string_view command, ExitCode code, std::string_view message);

// 2 for input that makes no sense, 3 for what could not be looked at.
ExitCode exit_code_of(const Error& error);

// How to write to a stream: colour and width only where it is a terminal (NO_COLOR and what
// terminfo says of TERM are respected), Unicode where the locale has it.
struct Paper {
  bool terminal = false;
  bool colour = false;
  bool few_colours = false;  // the eight alone
  bool unicode = true;
  int columns = 100;
};
Paper paper_of(int fd);
view::Summary::Paint paint_of(const Paper& paper);

}  // namespace tidegauge::cli
