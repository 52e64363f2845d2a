// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/text.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/file_owner.h"
#include "cli/judged.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/page_file.h"
#include "verdict/compare.h"
#include "view/ink.h"
#include "view/side_by_side.h"
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
  tidegauge report before.tg after.tg -o both.html side by side: what a change did
)";

// More curves than this cannot be told apart in one picture.
constexpr std::size_t kMostRuns = 8;

struct Wanted {
  std::vector<std::string> paths{};
  std::string to{};
  bool markdown = false;
  bool text = false;
};

// Recordings as they were read, and as the views take them.
struct Runs {
  std::vector<Judged> judged{};
  std::vector<view::Report> reports{};
};

constexpr const char* kNoPage =
    "this tidegauge was built without the page (npm was missing); --markdown and --text work";

std::filesystem::path place_of_picture(const Wanted& wanted) {
  return std::filesystem::path(wanted.to).replace_extension(".svg");
}

// Writes the picture that goes with a Markdown file; its name, empty where there is none.
Result<std::string> picture_beside(const Wanted& wanted, const std::string& svg) {
  if (wanted.to.empty() || svg.empty()) return std::string();
  const auto picture = place_of_picture(wanted);
  const auto done = write_file(picture.string(), svg, rights_of(wanted.paths));
  if (!done) return done.error();
  return picture.filename().string();
}

Result<std::string> text_of_one(const Wanted& wanted, const Judged& judged,
                                const view::Report& report) {
  if (wanted.markdown) {
    const auto picture = picture_beside(wanted, wanted.to.empty() ? "" : view::svg_chart(report));
    if (!picture) return picture.error();
    return judged.summary.markdown(judged.verdicts, report.source, *picture);
  }
  if (wanted.text) {
    const auto paper = paper_of(wanted.to.empty() ? ::fileno(stdout) : -1);
    auto paint = paint_of(paper);
    paint.all_kinds = true;
    return judged.summary.text(judged.verdicts, paint);
  }
  if (!has_page()) return Error{Reason::Unsupported, kNoPage};
  return page_of(report);
}

Result<std::string> text_of_several(const Wanted& wanted, const Runs& runs) {
  const auto names = view::short_names(wanted.paths);
  std::vector<view::Side> sides;
  std::vector<verdict::Outline> outlines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    sides.push_back(view::side_of(runs.reports[i], names[i]));
    outlines.push_back(runs.judged[i].outline);
    outlines.back().name = names[i];
  }
  const auto found = verdict::compare(outlines);
  if (wanted.markdown) {
    const bool by_step = found.by == verdict::Comparison::By::Step;
    const bool drawn = !wanted.to.empty() && found.by;
    const auto picture =
        picture_beside(wanted, drawn ? view::svg_side_by_side(runs.reports, names, by_step) : "");
    if (!picture) return picture.error();
    return view::side_by_side_markdown(sides, found, *picture);
  }
  if (wanted.text) {
    const auto paper = paper_of(wanted.to.empty() ? ::fileno(stdout) : -1);
    auto text = view::side_by_side_text(sides, found, static_cast<std::size_t>(paper.columns));
    return paper.terminal ? text : view::with_plain_blanks(std::move(text));
  }
  if (!has_page()) return Error{Reason::Unsupported, kNoPage};
  return page_of(runs.reports, sides, found);
}

Result<Runs> read_all(const Wanted& wanted, const verdict::Rules& rules) {
  Runs out;
  for (const auto& path : wanted.paths) {
    auto judged = judge_file({.path = path, .one_of_several = wanted.paths.size() > 1}, rules);
    if (!judged) return judged.error();
    if (!judged->left_out.empty()) {
      put_words(stderr,
                fmt::format("tidegauge report: {}: {}\n", printable(path), judged->left_out));
    }
    out.judged.push_back(std::move(*judged));
  }
  for (std::size_t i = 0; i < out.judged.size(); ++i) {
    const auto& one = out.judged[i];
    out.reports.push_back({one.summary.accounts(), one.timeline, one.verdicts, wanted.paths[i],
                           one.notes, census_beside(wanted.paths[i])});
  }
  return out;
}

// Where a page goes that nobody named: beside the first recording.
std::string usual_place(const Wanted& wanted) {
  if (wanted.paths.size() == 1) return wanted.paths.front() + ".html";
  return std::filesystem::path(wanted.paths.front()).replace_filename("side-by-side.html").string();
}

Result<> may_write_all(const Wanted& wanted) {
  if (wanted.to.empty()) return Ok{};
  const auto kind = wanted.markdown ? OutputKind::Markdown
                    : wanted.text   ? OutputKind::Text
                                    : OutputKind::Page;
  if (auto good = may_write(wanted.to, kind, wanted.paths); !good) return good;
  if (!wanted.markdown) return Ok{};
  const auto picture = place_of_picture(wanted);
  if (picture == std::filesystem::path(wanted.to)) {
    return Error{Reason::Malformed,
                 fmt::format("{} is where the picture goes: name the Markdown file otherwise",
                             printable(wanted.to))};
  }
  auto others = wanted.paths;
  others.push_back(wanted.to);
  return may_write(picture.string(), OutputKind::Picture, others);
}

}  // namespace

int report(Words words) {
  CommandLine app("A report of a recording: a page to look at and send around, or text.", "report");
  Wanted wanted;
  verdict::Rules rules;
  app.add_option("RECORDING", wanted.paths,
                 "what run or watch left behind; or numbers, as for judge. Several are put side by "
                 "side")
      ->required();
  app.add_option("-o,--output", wanted.to,
                 "where to write it; - is the terminal (default: RECORDING.html, of several "
                 "side-by-side.html beside the first; text goes to the terminal)")
      ->type_name("FILE")
      ->check(no_file_name);
  auto* markdown = app.add_flag("--markdown", wanted.markdown,
                                "Markdown, for an issue; in a file with a picture beside it");
  app.add_flag("--text", wanted.text, "plain text, as run and watch end with")->excludes(markdown);
  add_rules(app, rules);
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  if (wanted.paths.size() > kMostRuns) {
    return fail("report", kWrongUse, fmt::format("at most {} side by side", kMostRuns));
  }
  const auto user = go_on_as_owner_of(wanted.paths);
  if (!user) return fail("report", kCouldNotLook, user.error().what);
  const auto runs = read_all(wanted, rules);
  if (!runs) return fail("report", exit_code_of(runs.error()), runs.error().what);
  const bool page = !wanted.markdown && !wanted.text;
  if (wanted.to == "-")
    wanted.to.clear();
  else if (page && wanted.to.empty())
    wanted.to = usual_place(wanted);
  if (const auto good = may_write_all(wanted); !good) {
    return fail("report", kWrongUse, good.error().what);
  }
  const auto text = runs->reports.size() > 1
                        ? text_of_several(wanted, *runs)
                        : text_of_one(wanted, runs->judged.front(), runs->reports.front());
  if (!text) return fail("report", kCouldNotLook, text.error().what);
  if (wanted.to.empty()) {
    put(stdout, *text);
    return kNothingWrong;
  }
  if (const auto done = write_file(wanted.to, *text, rights_of(wanted.paths)); !done) {
    const auto why = user->empty() ? std::string()
                                   : fmt::format(
                                         ": it is written with the rights of {}, whose "
                                         "recording it is about",
                                         *user);
    return fail("report", kCouldNotLook, done.error().what + why);
  }
  if (page) put(stdout, printable(wanted.to) + "\n");
  return kNothingWrong;
}

}  // namespace tidegauge::cli
