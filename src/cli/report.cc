// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "cli/command.h"
#include "cli/judged.h"
#include "cli/options.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge report train.tg                 Markdown to the terminal
  tidegauge report train.tg -o findings.md  into a file
)";

}  // namespace

int report(Words words) {
  CLI::App app("A report of a recording, as Markdown for an issue or a findings document.",
               "report");
  std::string path;
  std::string to;
  verdict::Rules rules;
  app.add_option("RECORDING", path, "what run or watch left behind")->required();
  app.add_option("-o,--output", to, "write it there instead of to the terminal")->type_name("FILE");
  add_rules(app, rules);
  app.footer(kExamples);
  if (const auto code = parse(app, words)) return *code;

  const auto judged = judge_file({.path = path}, rules);
  if (!judged) return fail("report", exit_code_of(judged.error()), judged.error().what);
  const auto text = judged->summary.markdown(judged->verdicts, path);
  if (to.empty()) {
    fmt::print("{}", text);
    return kNothingWrong;
  }
  std::ofstream out(to, std::ios::binary);
  out << text;
  if (!out.flush()) return fail("report", kCouldNotLook, from_errno(errno, to).what);
  return kNothingWrong;
}

}  // namespace tidegauge::cli
