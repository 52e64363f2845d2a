// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/doctor_guard.h"
#include "cli/doctor_here.h"
#include "cli/doctor_text.h"
#include "cli/options.h"
#include "proc/examine.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge doctor             this machine
  tidegauge doctor 4711        and this process: what can be read of it
  tidegauge doctor --json      for a program

Exit code 3: the process has ended, or has no memory to watch.
)";

void append(std::vector<proc::Finding>& all, std::vector<proc::Finding> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool is_missing(const proc::Finding& finding) {
  return finding.state == proc::Finding::State::Missing;
}

}  // namespace

int doctor(Words words) {
  CommandLine app("What can be measured here, and what to change where it cannot.", "doctor");
  pid_t pid = 0;
  bool json = false;
  auto* const named = app.add_option("PID", pid, "look at this process, too")->check(no_process_id);
  app.add_flag("--json", json, "print the findings as JSON");
  app.footer(kExamples);
  if (const auto code = app.parse(words)) return *code;

  const proc::CollectOptions options;
  const auto paper = paper_of(STDOUT_FILENO);
  std::vector<proc::Finding> all;
  int code = kNothingWrong;
  if (named->count() > 0) {
    auto found = proc::examine_process(pid, options);
    if (!found) return fail("doctor", kCouldNotLook, found.error().what);
    // A process that has ended, or has no memory, cannot be watched.
    if (std::any_of(found->begin(), found->end(), is_missing)) code = kCouldNotLook;
    append(all, std::move(*found));
  }
  append(all, proc::examine_machine(options));
  append(all, examine_guard());
  append(all, examine_here(paper));
  if (json) {
    put(stdout, to_json(all, named->count() > 0 ? std::optional(pid) : std::nullopt));
  } else {
    put_words(stdout, to_text(all, paper));
  }
  return code;
}

}  // namespace tidegauge::cli
