// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/fd.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/job_marks.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sitting.h"
#include "guard/supervise.h"
#include "proc/collector.h"
#include "proc/mask.h"
#include "view/verdict_json.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge run -- python train.py
  tidegauge run --limit 32GB --json verdict.json -- python train.py --epochs 3
  tidegauge run --record train.tg -- sh -c 'make data && python train.py'

The job's input, output, signals and exit code are its own; our words come on stderr when it has
ended. With --for or --until-decided the job goes on unwatched afterwards.
)";

struct RunOptions {
  std::vector<std::string> command;
  std::string json_path;
  bool no_marks = false;
  bool no_guess = false;
  SittingOptions sitting{};
  verdict::Rules rules{};
};

// The words before and after the first "--"; without one CLI11 finds where the command begins.
struct Split {
  Words ours;
  Words command;
};

Split split_at_dashes(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {words, {}};
  const auto at = static_cast<std::size_t>(dashes - words.begin());
  return {words.subspan(0, at), words.subspan(at + 1)};
}

std::optional<int> parse_run(Words words, RunOptions& options) {
  CLI::App app("Start a job under the gauge: its tree is watched, recorded and judged.", "run");
  app.prefix_command();
  app.add_option("--json", options.json_path, "write the verdict document there at the end")
      ->type_name("FILE");
  app.add_flag("--no-marks", options.no_marks, "give the job no channel for its steps and phases");
  app.add_flag("--no-guess", options.no_guess, "do not look for steps in the job's output");
  add_sitting(app, options.sitting);
  add_rules(app, options.rules);
  app.footer(kExamples);
  const auto [ours, command] = split_at_dashes(words);
  if (const auto code = parse(app, ours)) return code;
  options.command = app.remaining();
  if (!options.command.empty() && options.command[0].starts_with("-")) {
    fmt::print(stderr, "tidegauge run: there is no option '{}'\nTry 'tidegauge run --help'.\n",
               printable(options.command[0]));
    return kWrongUse;
  }
  options.command.insert(options.command.end(), command.begin(), command.end());
  if (!options.command.empty()) return {};
  fmt::print(stderr, "tidegauge run: which command?\nTry 'tidegauge run --help'.\n");
  return kWrongUse;
}

// Before the job starts, so that nobody finds out after a week that nothing was kept.
Result<> check_writable(const std::string& path) {
  if (path.empty()) return Ok{};
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) return from_errno(errno, printable(path));
  return Ok{};
}

Result<Session> begin_session(const guard::Job& job, const RunOptions& options) {
  proc::CollectOptions collect;
  collect.interval_seconds = options.sitting.interval_seconds.value_or(collect.interval_seconds);
  auto collector = proc::Collector::open({job.pid()}, collect);
  if (!collector) return collector.error();
  return Session::begin(*std::move(collector),
                        session_options("run", options.sitting, options.rules,
                                        proc::masked_command(options.command)));
}

// Watches until the job ends, or the watching was for a while only.
void follow(guard::Job& job, Session& session, JobMarks& marks, const SittingOptions& sitting) {
  while (!job.status()) {
    if (session.now_ns() >= session.due_ns()) {
      marks.pass_on(session);
      session.look();
      if (enough_seen(session, sitting)) return;
    }
    job.pump(std::max<std::int64_t>(session.due_ns() - session.now_ns(), 0));
  }
  marks.pass_on(session);
  session.look();
}

int exit_as(const guard::Job& job) {
  const auto status = *job.status();
  if (status.signal == SIGINT && job.interrupted_by_terminal()) {
    // A shell's loop ends when its command died of Ctrl-C, not when it returned 130.
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  return status.code;
}

void write_document(const verdict::Verdicts& verdicts, const RunOptions& options) {
  if (options.json_path.empty()) return;
  std::ofstream out(options.json_path, std::ios::binary);
  out << view::verdict_document(proc::masked_command(options.command), verdicts);
  if (out.flush()) return;
  fail("run", kCouldNotLook, from_errno(errno, printable(options.json_path)).what);
}

void watch_to_the_end(guard::Job& job, Session& session, JobMarks& marks,
                      const RunOptions& options) {
  follow(job, session, marks, options.sitting);
  const auto ending = session.end();
  write_document(ending.verdicts, options);
  if (!options.sitting.quiet) print_ending(session, ending, stderr);
}

// A job that had ended before we could look: nothing was seen, and that is what we say.
void tell_of_nothing(const Error& error, const RunOptions& options) {
  write_document(verdict::judge({}, options.rules), options);
  if (options.sitting.quiet && error.reason == Reason::Gone) return;
  const bool ended = error.reason == Reason::Gone;
  fail("run", kCouldNotLook,
       ended ? "the job ended before it could be looked at"
             : "the job runs unwatched: " + error.what);
}

}  // namespace

int run(Words words) {
  RunOptions options;
  if (const auto code = parse_run(words, options)) return *code;
  for (const auto& path : {options.sitting.record_path, options.json_path}) {
    if (const auto good = check_writable(path); !good) {
      return fail("run", kCouldNotLook, good.error().what);
    }
  }

  JobMarks marks({.channel = !options.no_marks, .guess = !options.no_guess});
  auto job = guard::Job::start({.arguments = options.command,
                                .environment = marks.environment(),
                                .tap_terminal = marks.wants_terminal()});
  if (!job) {
    fail("run", kCouldNotLook, job.error().what);
    return guard::exit_code_for(job.error());
  }
  marks.listen_to(*job);
  if (auto session = begin_session(*job, options)) {
    watch_to_the_end(*job, *session, marks, options);
  } else {
    tell_of_nothing(session.error(), options);
  }
  while (!job->status()) job->pump(-1);
  return exit_as(*job);
}

}  // namespace tidegauge::cli
