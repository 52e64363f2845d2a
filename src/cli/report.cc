// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/judged.h"
#include "cli/options.h"
#include "cli/page_file.h"
#include "view/svg_chart.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge report train.tg                        a page, train.tg.html
  tidegauge report train.tg -o report.html         the same under another name
  tidegauge report train.tg --markdown             for an issue, to the terminal
  tidegauge report train.tg --markdown -o find.md  with a picture, find.svg
  tidegauge report train.tg --text                 without a browser
)";

struct Wanted {
  std::string path{};
  std::string to{};
  bool markdown = false;
  bool text = false;
};

// Writes the picture that goes with the Markdown file `path`; its name, empty where there is none.
Result<std::string> picture_beside(const std::string& path, const Judged& judged) {
  const auto svg = view::svg_chart(
      {judged.summary.accounts(), judged.timeline, judged.verdicts, path, judged.notes});
  if (svg.empty()) return std::string();
  const auto picture = std::filesystem::path(path).replace_extension(".svg");
  if (const auto done = write_file(picture.string(), svg); !done) return done.error();
  return picture.filename().string();
}

Result<std::string> text_of(const Wanted& wanted, const Judged& judged) {
  if (wanted.markdown) {
    const auto picture =
        wanted.to.empty() ? Result<std::string>(std::string()) : picture_beside(wanted.to, judged);
    if (!picture) return picture.error();
    return judged.summary.markdown(judged.verdicts, wanted.path, *picture);
  }
  if (wanted.text) {
    const auto paper = paper_of(wanted.to.empty() ? ::fileno(stdout) : -1);
    return judged.summary.text(
        judged.verdicts,
        {.colour = paper.colour, .unicode = paper.unicode, .columns = paper.columns});
  }
  if (!has_page()) {
    return Error{Reason::Unsupported,
                 "this tidegauge was built without the page (npm was missing); --markdown and "
                 "--text work"};
  }
  return page_of({judged.summary.accounts(), judged.timeline, judged.verdicts, wanted.path,
                  judged.notes, census_beside(wanted.path)});
}

}  // namespace

int report(Words words) {
  CommandLine app("A report of a recording: a page to look at and send around, or text.", "report");
  Wanted wanted;
  verdict::Rules rules;
  app.add_option("RECORDING", wanted.path,
                 "what run or watch left behind; or numbers, as for judge")
      ->required();
  app.add_option("-o,--output", wanted.to,
                 "where to write it; - is the terminal (default: RECORDING.html; text goes to the "
                 "terminal)")
      ->type_name("FILE");
  auto* markdown = app.add_flag("--markdown", wanted.markdown,
                                "Markdown, for an issue; in a file with a picture beside it");
  app.add_flag("--text", wanted.text, "plain text, as run and watch end with")->excludes(markdown);
  add_rules(app, rules);
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  const auto judged = judge_file({.path = wanted.path}, rules);
  if (!judged) return fail("report", exit_code_of(judged.error()), judged.error().what);
  const bool page = !wanted.markdown && !wanted.text;
  if (wanted.to == "-")
    wanted.to.clear();
  else if (page && wanted.to.empty())
    wanted.to = wanted.path + ".html";
  const auto text = text_of(wanted, *judged);
  if (!text) return fail("report", kCouldNotLook, text.error().what);
  if (wanted.to.empty()) {
    put(stdout, *text);
    return kNothingWrong;
  }
  if (const auto done = write_file(wanted.to, *text); !done) {
    return fail("report", kCouldNotLook, done.error().what);
  }
  if (page) put(stdout, printable(wanted.to) + "\n");
  return kNothingWrong;
}

}  // namespace tidegauge::cli
