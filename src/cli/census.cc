// SPDX-License-Identifier: Apache-2.0
#include "census/census.h"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "view/census.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge census $(pgrep -f train.py)
  tidegauge census 4711 --json > census.json
  tidegauge census 4711 --stream        stops nothing, and names no holders
  tidegauge census 4711 --tensors       every device, dtype and shape

Nothing is put into the process. A copy of it is made as fork() does, which stops it for some
milliseconds; the copy is read and removed.
)";

}  // namespace

int census(Words words) {
  CLI::App app("What a Python process holds, and who holds it, read from outside.", "census");
  pid_t pid = 0;
  bool json = false;
  census::CensusOptions options;
  view::CensusTextOptions text;
  app.add_option("PID", pid, "the process")->required()->check(no_process_id);
  app.add_flag("--stream", options.stream, "count without stopping anything");
  app.add_flag("--json", json, "print the census document");
  app.add_flag("--tensors", text.tensors, "all tensors, arrays and images by shape");
  app.add_option("--lines", text.lines, "of each table")->type_name("N");
  app.footer(kExamples);
  if (const auto code = parse(app, words)) return *code;

  const auto taken = census::take_census(pid, options);
  if (!taken) return fail("census", kCouldNotLook, taken.error().what);
  text.columns = static_cast<std::size_t>(paper_of(STDOUT_FILENO).columns);
  put(stdout, json ? view::census_document(*taken) : view::census_text(*taken, text));
  return kNothingWrong;
}

}  // namespace tidegauge::cli
