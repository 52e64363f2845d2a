// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>

#include "base/owner_only.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/allowance.h"
#include "cli/cause_finder.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/earlier_runs.h"
#include "cli/guard_options.h"
#include "cli/guarding.h"
#include "cli/job_environment.h"
#include "cli/job_marks.h"
#include "cli/job_start.h"
#include "cli/lives.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "cli/sitting.h"
#include "guard/supervise.h"
#include "proc/collector.h"
#include "record/disk_file.h"
#include "record/store.h"
#include "secrets/mask.h"
#include "view/verdict_json.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge run -- python train.py
  tidegauge run --limit 32GB --json verdict.json -- python train.py --epochs 3
  tidegauge run --record train.tg -- sh -c 'make data && python train.py'
  tidegauge run --live -- python train.py > train.log 2>&1
  tidegauge run --guard --limit 32GB --restart-on-limit -- python train.py

The job's input, output, signals and exit code are its own; our words come on stderr when it has
ended. With --for or --until-decided the job goes on unwatched afterwards. If tidegauge is killed the
job goes on too.
)";

struct RunOptions {
  std::vector<std::string> command;
  std::string json_path;
  bool no_marks = false;
  bool no_guess = false;
  bool no_hooks = false;
  bool no_preload = false;
  std::string own_path{};  // of the recording, where the user named none
  std::string told{};      // before the job was started, as it would be said in the end
  bool live = false;
  bool no_history = false;
  bool warm_up_given = false;
  SittingOptions sitting{};
  verdict::Rules rules{};
  GuardOptions guard{};
};

// The words before the first "--", and the rest from there.
struct Split {
  Words ours;
  Words rest;
};

Split split_at_dashes(Words words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto at = static_cast<std::size_t>(dashes - words.begin());
  return {words.subspan(0, at), words.subspan(at)};
}

std::optional<int> parse_run(Words words, RunOptions& options) {
  CommandLine app("Start a job under the gauge: its tree is watched, recorded and judged.", "run");
  app.stop_at_a_word();
  app.add_option("--json", options.json_path, "write the verdict document there at the end")
      ->type_name("FILE")
      ->check(no_file_name);
  app.add_flag("--no-marks", options.no_marks, "give the job no channel for its steps and phases");
  app.add_flag("--no-hooks", options.no_hooks,
               "put nothing into the job to find its steps: only what it tells itself");
  app.add_flag("--no-preload", options.no_preload,
               "find the steps of Python processes without LD_PRELOAD, by a sitecustomize");
  app.add_flag("--no-guess", options.no_guess,
               "do not look for steps in the job's output, and put no pty before the terminal: for "
               "pagers, which read keys from it");
  app.add_flag("--live,!--no-live", options.live,
               "show the live view; the job's output has to go elsewhere");
  app.add_flag("--no-history", options.no_history,
               "neither use nor keep how earlier runs of this command ended");
  add_guard(app, options.guard);
  add_restart(app, options.guard);
  add_sitting(app, options.sitting);
  add_rules(app, options.rules);
  app.footer(kExamples);
  auto [ours, rest] = split_at_dashes(words);
  if (const auto code = parse_guarded(app, ours, "run", options.guard)) return code;
  options.warm_up_given = app.count("--longest-warm-up") > 0;
  options.command = app.remaining();
  if (!options.command.empty() && options.command[0].starts_with("-")) {
    return fail("run", kWrongUse,
                fmt::format("there is no option '{}'\nTry 'tidegauge run --help'.",
                            printable(options.command[0])));
  }
  // Dashes after the command has begun are its own.
  if (options.command.empty() && !rest.empty()) rest = rest.subspan(1);
  options.command.insert(options.command.end(), rest.begin(), rest.end());
  if (options.command.empty()) {
    return fail("run", kWrongUse, "which command?\nTry 'tidegauge run --help'.");
  }
  if (options.live && (::isatty(STDOUT_FILENO) == 1 || ::isatty(STDERR_FILENO) == 1)) {
    return fail("run", kWrongUse,
                "--live needs the terminal to itself: send the job's output elsewhere, as in "
                "'tidegauge run --live -- COMMAND > job.log 2>&1'");
  }
  return {};
}

Result<> may_write_document(const RunOptions& options) {
  std::vector<std::string> others;
  if (!options.sitting.record_path.empty()) others.push_back(options.sitting.record_path);
  return may_write(options.json_path, OutputKind::Verdict, others);
}

// A code: somebody has named a file that cannot be one. A disk without room is told of now, and is
// no reason not to start: the job is what matters.
std::optional<int> check_outputs(RunOptions& options) {
  const auto refuse = [](const Error& error) -> std::optional<int> {
    return fail("run", exit_code_of(error), error.what);
  };
  if (!options.json_path.empty()) {
    if (auto good = may_write_document(options); !good) return refuse(good.error());
  }
  if (!options.sitting.record_path.empty()) {
    if (auto good = record::may_record_to(options.sitting.record_path); !good) {
      if (good.error().reason != Reason::NoRoom) return refuse(good.error());
      fail("run", kCouldNotLook,
           words_of_no_room(good.error(), Recorded::Nothing, Telling::AtOnce));
      options.told = words_of_no_room(good.error(), Recorded::Nothing, Telling::OnceItIsOver);
    }
  }
  if (options.json_path.empty()) return {};
  const auto good = check_writable(options.json_path);
  if (good) return {};
  const auto code = refuse(good.error());
  return good.error().reason == Reason::NoRoom ? std::nullopt : code;
}

Result<Session> begin_session(const guard::Job& job, const RunOptions& options, Helpers& helpers,
                              std::vector<std::string>& warnings) {
  proc::CollectOptions collect;
  collect.interval_seconds = options.sitting.interval_seconds.value_or(collect.interval_seconds);
  auto collector = proc::Collector::open({job.pid()}, collect);
  if (!collector) return collector.error();
  auto begin = session_options("run", options.sitting, options.rules,
                               secrets::masked_command(options.command));
  begin.own_path = options.own_path;
  if (helpers.guarding) {
    begin.on_entry = [&guarding = *helpers.guarding](const record::Entry& entry,
                                                     const record::LedgerKeeper&) {
      guarding.take(entry);
    };
  }
  begin.telling = Telling::OnceItIsOver;
  begin.warn = [&warnings, &told = options.told](const std::string& warning) {
    if (warning != told) warnings.push_back(warning);
  };
  return Session::begin(*std::move(collector), std::move(begin));
}

// Only we can know how it ended: nothing is left of it once we have waited for it. Told once: its
// pid may soon be another's.
void pass_on_end(const guard::Job& job, Session& session, bool& passed_on) {
  const auto end = job.ended();
  if (!end || std::exchange(passed_on, true)) return;
  session.collector().told_end(job.pid(), end->code);
}

// Watches until the job ends, or the watching was for a while only.
void follow(guard::Job& job, Session& session, Helpers& helpers, const RunOptions& options) {
  auto& [marks, causes, guarding] = helpers;
  Screen screen(options.live ? Screen::Kind::View : Screen::Kind::Silent, false);
  marks.listen_to(job, session);
  bool end_passed_on = false;
  while (!job.status()) {
    if (session.now_ns() >= session.due_ns()) {
      pass_on_end(job, session, end_passed_on);
      marks.pass_on(session);
      session.look();
      causes.after_look(session);
      if (guarding) guarding->after_look(session);
      screen.show(session);
    }
    if (enough_seen(session, options.sitting) || cpu_time_runs_out()) break;
    const auto left_ns = wake_ns(session, options.sitting) - session.now_ns();
    job.pump(std::max<std::int64_t>(left_ns, 0), screen.fd(), guarding ? guarding->fd() : -1);
    if (guarding) guarding->hear(&session);
    if (screen.take_keys(session)) screen.close();
  }
  job.on_output({});
  if (!job.status()) return;
  pass_on_end(job, session, end_passed_on);
  marks.pass_on_rest(session);
  session.collector().look_at_all_next();
  session.look();
}

void write_document(const verdict::Verdicts& verdicts, const std::optional<view::Killed>& killed,
                    const RunOptions& options) {
  if (options.json_path.empty()) return;
  // The job may have written there meanwhile.
  auto done = may_write_document(options);
  if (done) {
    done = write_file(
        options.json_path,
        view::verdict_document(secrets::masked_command(options.command), verdicts, killed),
        kOwnerOnly);
  }
  if (!done) fail("run", kCouldNotLook, done.error().what);
}

// A job that had ended before we could look: nothing was seen, and that is what we say.
void tell_of_nothing(const Error& error, const RunOptions& options) {
  const bool ended = error.reason == Reason::Gone;
  if (options.sitting.quiet && ended) return;
  fail("run", kCouldNotLook,
       ended ? "the job ended before it could be looked at" : "nothing was seen: " + error.what);
}

// Nothing of a good end.
std::string words_of_end(const guard::Status& status) {
  if (status.signal != 0) {
    const char* name = ::sigabbrev_np(status.signal);
    return name != nullptr ? fmt::format("job        killed by SIG{}\n", name)
                           : fmt::format("job        killed by signal {}\n", status.signal);
  }
  return status.code == 0 ? "" : fmt::format("job        ended with status {}\n", status.code);
}

void await(guard::Job& job, Helpers& helpers) {
  while (!job.status()) {
    job.pump(-1, helpers.guarding ? helpers.guarding->fd() : -1);
    if (helpers.guarding) helpers.guarding->hear(nullptr);
  }
}

constexpr const char* kCpuTimeRanOut =
    "it was not watched to its end: our CPU time ran out (ulimit -t)";

// Watches the job to its end and tells about it then: until then stderr is the job's alone.
void watch_and_tell(guard::Job& job, Helpers& helpers, const RunOptions& options, Life& life) {
  std::vector<std::string> warnings;
  auto session = begin_session(job, options, helpers, warnings);
  std::optional<Session::Ending> ending;
  if (session) {
    follow(job, *session, helpers, options);
    helpers.causes.finish(*session);
    if (helpers.guarding && job.status()) life.end(job, *helpers.guarding, &*session);
    ending = session->end();
  }
  const auto killed =
      session ? view::killed(session->summary().accounts(), view::Tense::Over) : std::nullopt;
  write_document(ending ? ending->verdicts : verdict::judge({}, options.rules), killed, options);
  const bool went_on = !job.status();
  if (went_on && cpu_time_runs_out()) warnings.emplace_back(kCpuTimeRanOut);
  if (ending && !options.no_history) remember_run(options.command, ending->verdicts);
  await(job, helpers);
  if (!session) return tell_of_nothing(session.error(), options);
  if (options.sitting.quiet) return;
  for (const auto& warning : warnings) fail("run", kCouldNotLook, warning);
  print_ending(*session, *ending, helpers.causes.note(), stderr);
  if (went_on) {
    put_words(stderr, fmt::format("watched    {}; the job went on unwatched\n",
                                  format_duration(ending->verdicts.all.front().duration_seconds)));
  }
  put_words(stderr, life.ended() ? life.words() : words_of_end(*job.status()));
}

// Whatever happens to our watching, the job is waited for.
void watch_to_the_end(guard::Job& job, Helpers& helpers, const RunOptions& options, Life& life) {
  try {
    watch_and_tell(job, helpers, options, life);
  } catch (const std::exception& error) {
    job.on_output({});
    await(job, helpers);
    // What throws is the lack of memory or of threads, but for a defect of ours.
    fail("run", kCouldNotLook,
         fmt::format("the watching broke off: {} (ulimit -v -d -u, pids.max)", error.what()));
  }
  if (helpers.guarding && !life.ended()) life.end(job, *helpers.guarding, nullptr);
}

// Before the job starts, so that it can be told where to ask for its verdict.
void choose_recording(RunOptions& options) {
  if (options.sitting.no_record || !options.sitting.record_path.empty()) return;
  // A failure is told when the session begins.
  if (auto path = record::new_path(secrets::masked_command(options.command))) {
    options.own_path = *std::move(path);
  }
}

std::vector<std::pair<std::string, std::string>> environment_for(const RunOptions& options,
                                                                 const JobMarks& marks,
                                                                 const Saved& from) {
  const auto& named = options.sitting.record_path;
  auto variables = variables_of({.command = options.command.front(),
                                 .ring = marks.ring(),
                                 .recording = named.empty() ? options.own_path : named,
                                 .ask_page = marks.ask_page(),
                                 .hooks = !options.no_hooks,
                                 .preload = !options.no_preload});
  if (!from.path.empty()) variables.emplace_back("TIDEGAUGE_RESUME", from.path);
  return variables;
}

int exit_as(guard::Job job, const Life& life) {
  const auto status = *job.status();
  const bool interrupted = status.signal == SIGINT && job.interrupted_by_terminal();
  { const auto over = std::move(job); }  // signals act on us again
  // A shell's loop ends when its command died of Ctrl-C, not when it returned 130.
  if (interrupted) std::raise(SIGINT);
  // Whoever waits must not take a job that was stopped half-way for one that is done.
  if (status.code == 0 && life.stopped_by_us()) return kStoppedByGuard;
  if (status.code == 0 && life.stopped_from_outside()) return kTerminated;
  return status.code;
}

// One life of the job, from its start to its end. A code is what to leave with; else it is to
// begin again.
std::optional<int> live(RunOptions& options, Lives& lives) {
  choose_recording(options);
  auto started =
      start_job({.command = options.command,
                 .marks = {.channel = !options.no_marks, .guess = !options.no_guess},
                 .census = !options.sitting.no_census,
                 .keys = options.sitting.keys(),
                 .steps = options.no_hooks || options.no_marks ? CauseFinder::Steps::ReadFromOutside
                                                               : CauseFinder::Steps::ToldByTheJob,
                 .guard = options.guard,
                 .limit_bytes = options.rules.limit_bytes.value_or(0),
                 .quiet = options.sitting.quiet,
                 .environment = [&](const JobMarks& marks) {
                   return environment_for(options, marks, lives.from());
                 }});
  if (!started) {
    fail("run", kCouldNotLook, started.error().what);
    return guard::exit_code_for(started.error());
  }
  auto& [helpers, job, watched] = *started;
  auto& guarding = helpers->guarding;
  if (guarding) guarding->began(job.pid());
  // Whoever reads our words may leave; the exit code is the job's all the same.
  const auto as_before = std::signal(SIGPIPE, SIG_IGN);
  Life life;
  if (watched) {
    watch_to_the_end(job, *helpers, options, life);
  } else {
    write_document(verdict::judge({}, options.rules), std::nullopt, options);
    await(job, *helpers);
  }
  if (lives.goes_on(life)) {
    std::signal(SIGPIPE, as_before);  // the next life begins as this one did
    return {};
  }
  return exit_as(std::move(job), life);
}

}  // namespace

int run(Words words) {
  RunOptions options;
  if (const auto code = parse_run(words, options)) return *code;
  if (options.guard.dry_run) return print_plan(options.guard, options.rules.limit_bytes);
  if (const auto code = check_outputs(options)) return *code;

  if (!options.no_history) {
    options.rules = with_history(options.command, options.rules, options.warm_up_given);
  }
  Lives lives(options.guard);
  const auto named = options.sitting.record_path;
  auto code = live(options, lives);
  while (!code) {
    options.command = lives.next_command(options.command);
    if (!named.empty()) options.sitting.record_path = fmt::format("{}.{}", named, lives.count());
    code = live(options, lives);
  }
  wait_for_helpers();
  return *code;
}

}  // namespace tidegauge::cli
