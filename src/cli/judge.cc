// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/file_owner.h"
#include "cli/judged.h"
#include "cli/options.h"
#include "verdict/compare.h"
#include "view/comparison.h"
#include "view/verdict_json.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge judge ~/.local/share/tidegauge/recordings/train-*.tg
  tidegauge judge memory.csv --limit 32GB        time,rss_mb or step,rss_mb
  tidegauge judge memory.csv --markers steps.csv --json
  tidegauge judge rank0.tg rank1.tg rank2.tg     and which of them is different
  tidegauge judge mprofile_20240501.dat          or psrecord, Prometheus, docker stats, W&B…

What files may look like: docs/judge-input.md. Exit code 1: a leak, a limit likely reached, or the
kernel killed for lack of memory.
)";

struct JudgeOptions {
  std::vector<std::string> files;
  std::string markers;
  std::optional<double> unit_bytes{};
  bool json = false;
  bool explain = false;
  verdict::Rules rules{};
};

void print(const std::string& path, const Judged& judged, const JudgeOptions& options) {
  for (const auto& note : judged.notes) {
    warn("judge", fmt::format("{}: {}", path, note));
  }
  if (options.json) {
    put(stdout, view::verdict_document(path, judged.verdicts,
                                       view::killed(judged.summary.accounts(), view::Tense::Over)));
    return;
  }
  const auto paper = paper_of(STDOUT_FILENO);
  if (options.files.size() > 1) put_words(stdout, printable(path) + "\n");
  put_words(stdout, judged.summary.text(judged.verdicts, paint_of(paper)));
  if (!options.explain) return;
  for (const auto& line : judged.verdicts.explanation)
    put_words(stdout, fmt::format("  {}\n", line));
}

void print_side_by_side(const std::vector<verdict::Outline>& runs, const JudgeOptions& options) {
  const auto found = verdict::compare(runs);
  if (options.json) return put(stdout, view::comparison_document(runs, found));
  const auto columns = static_cast<std::size_t>(paper_of(STDOUT_FILENO).columns);
  put_words(stdout, view::comparison_text(runs, found, columns));
}

void add_unit(CommandLine& app, std::optional<double>& unit_bytes) {
  const auto take = [&unit_bytes](const std::string& text) -> std::string {
    const auto bytes = parse_bytes("1" + text);
    if (!bytes) return "'" + text + "' is no unit like MB or KiB";
    unit_bytes = static_cast<double>(*bytes);
    return {};
  };
  app.add_parsed("--unit", take, "unit of columns whose name does not end in one (_kb, _mb…)")
      ->type_name("UNIT");
}

}  // namespace

int judge(Words words) {
  CommandLine app("Verdicts for a recording, or for somebody else's numbers.", "judge");
  JudgeOptions options;
  app.add_option("FILE", options.files, "recordings, CSV files, or what other tools wrote")
      ->required();
  app.add_flag("--json", options.json, "print the verdict document (docs/verdict-format.md)");
  app.add_flag("--explain", options.explain, "show what the verdict was made from");
  app.add_option("--markers", options.markers,
                 "CSV of steps, epochs and phases: time,step,epoch,event")
      ->type_name("FILE");
  add_unit(app, options.unit_bytes);
  add_rules(app, options.rules);
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  auto inputs = options.files;
  if (!options.markers.empty()) inputs.push_back(options.markers);
  if (const auto user = go_on_as_owner_of(inputs); !user) {
    return fail("judge", kCouldNotLook, user.error().what);
  }

  int worst = kNothingWrong;
  std::vector<verdict::Outline> runs;
  const bool several = options.files.size() > 1;
  for (const auto& path : options.files) {
    auto judged = judge_file({path, options.markers, options.unit_bytes, several}, options.rules);
    if (!judged) {
      worst = std::max(worst, fail("judge", exit_code_of(judged.error()), judged.error().what));
      continue;
    }
    print(path, *judged, options);
    worst = std::max(worst, exit_code_of(judged->verdicts, judged->summary.accounts()));
    if (several) runs.push_back(std::move(judged->outline));
  }
  if (runs.size() > 1) print_side_by_side(runs, options);
  return worst;
}

}  // namespace tidegauge::cli
