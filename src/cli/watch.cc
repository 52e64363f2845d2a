// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/text.h"
#include "cli/allowance.h"
#include "cli/attached_marks.h"
#include "cli/cause_finder.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/find_page.h"
#include "cli/guard_options.h"
#include "cli/guarding.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/session.h"
#include "cli/sitting.h"
#include "cli/stop_signals.h"
#include "guard/plan.h"
#include "proc/collector.h"
#include "view/json_lines.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge watch 4711                        this process and its children
  tidegauge watch --name train.py             found by name or command line
  tidegauge watch --name train.py --for 10m   ten minutes, then a summary
  tidegauge watch 4711 --until-decided        until the verdict is known
  tidegauge watch 4711 --attach-marks         with its steps, if it is a Python of 3.14 or later
  tidegauge watch 4711 --guard                asks it to save, lets it end before it is killed
  tidegauge watch 4711 --json | jq -c 'select(.type == "verdict")'

Nothing is put into the job and it is never stopped, but with --attach-marks and --guard, and for
some milliseconds when a Python process grows (--no-census: never). Ctrl-C ends with the summary.
Exit code 1: a leak, a limit likely reached, or the kernel killed for lack of memory.
)";

struct WatchOptions {
  std::vector<pid_t> pids;
  std::string name;
  std::string cgroup;
  bool json = false;
  bool no_live = false;
  bool ascii = false;
  bool attach_marks = false;
  SittingOptions sitting{};
  verdict::Rules rules{};
  GuardOptions guard{};
};

Result<proc::Collector> open_collector(const WatchOptions& options) {
  proc::CollectOptions collect;
  collect.interval_seconds = options.sitting.interval_seconds.value_or(collect.interval_seconds);
  if (!options.cgroup.empty()) return proc::Collector::open_cgroup(options.cgroup, collect);
  if (options.name.empty()) return proc::Collector::open(options.pids, collect);
  const auto found = proc::find_by_name(options.name, collect.roots);
  if (!found) return found.error();
  if (found->empty()) {
    return Error{Reason::Gone, fmt::format("no process has '{}' in its name or command line",
                                           printable(options.name))};
  }
  return proc::Collector::open(*found, collect);
}

std::string subject_of(const WatchOptions& options) {
  if (!options.cgroup.empty()) return "cgroup " + options.cgroup;
  if (!options.name.empty()) return options.name;
  return fmt::format("pid {}", fmt::join(options.pids, " "));
}

// Waits until `until_ns` of the session's clock, a stop signal or a key; true if it was a signal.
bool wait(const Session& session, std::int64_t until_ns, int stop_fd, int key_fd, int guard_fd) {
  pollfd fds[] = {{stop_fd, POLLIN, 0}, {key_fd, POLLIN, 0}, {guard_fd, POLLIN, 0}};
  const auto left_ns = std::max<std::int64_t>(until_ns - session.now_ns(), 0);
  const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
  return ::ppoll(fds, std::size(fds), &left, nullptr) > 0 && fds[0].revents != 0;
}

// A line of 25 processes is 8 KB: one write a sample instead of two or three. The C library takes
// no note of a size without a buffer, and needs that one until the program's end.
void write_lines_at_once() {
  static char buffer[64 << 10];
  std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
}

void print(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
}

// Lines for a program that reads us: the verdict's, where it is new, and whatever this look has
// said before, without waiting for a full buffer.
void print_json(Session& session, view::JsonLines& lines, const std::string& source) {
  if (session.take_fresh_verdict()) {
    const auto killed = view::killed(session.summary().accounts(), view::Tense::GoingOn);
    print(lines.verdict(session.verdicts(), source, killed));
  }
  std::fflush(stdout);
}

// Nothing where they were not asked for.
Result<std::optional<AttachedMarks>> attach(const WatchOptions& options) {
  if (!options.attach_marks) return std::optional<AttachedMarks>();
  auto attached = AttachedMarks::make();
  if (!attached) return attached.error();
  for (const auto pid : options.pids) {
    if (auto done = attached->attach_to(pid); !done) return done.error();
  }
  return std::optional<AttachedMarks>(*std::move(attached));
}

// Says what the guard would do to a job that was looked at once, and does nothing.
int print_plan(const Session& session, const GuardOptions& options) {
  const auto situation = guard::situation_of(
      session.sample(), session.verdicts().all.front(),
      {.freeze = true, .limit = false, .kill = true, .asked = true}, options.settings);
  put_words(stdout, guard::to_text(situation, guard::plan(situation, options.settings)));
  return kNothingWrong;
}

// The guard of a job that was named by one process, and the page through which it can be asked.
struct Attached {
  std::optional<record::AskPage> page{};
  std::optional<Guarding> guarding{};
};

Attached attach_guard(const WatchOptions& options) {
  Attached attached;
  const auto root = proc::Root::open(proc::Roots{}.proc);
  auto page = root ? find_page(*root, options.pids[0]) : Result<record::AskPage>(root.error());
  if (page) attached.page.emplace(*std::move(page));
  auto guarding =
      Guarding::attach(options.guard, options.pids[0], options.rules.limit_bytes.value_or(0),
                       {attached.page ? &*attached.page : nullptr, options.sitting.quiet,
                        subject_of(options), !options.sitting.no_census, options.sitting.keys()});
  if (guarding) attached.guarding.emplace(*std::move(guarding));
  return attached;
}

Screen::Kind screen_of(const WatchOptions& options) {
  if (options.json || options.sitting.quiet) return Screen::Kind::Silent;
  return options.no_live ? Screen::Kind::Lines : Screen::Kind::Best;
}

// An exit code: there is nothing to be watched.
std::optional<int> parse_watch(Words words, WatchOptions& options) {
  CommandLine app("Follow a job that already runs: its tree, kinds of memory, verdict.", "watch");
  auto* pids = app.add_option("PID", options.pids, "processes to follow, with all their children")
                   ->check(no_process_id);
  auto* name = app.add_option("--name", options.name,
                              "follow what matches this pattern by name or command line")
                   ->type_name("PATTERN")
                   ->excludes(pids);
  app.add_option("--cgroup", options.cgroup, "follow all processes of this cgroup")
      ->type_name("PATH")
      ->excludes(pids)
      ->excludes(name);
  app.add_flag("--json", options.json, "a JSON line per sample and per change of the verdict");
  app.add_flag("--no-live", options.no_live, "a status line instead of the live view");
  app.add_flag("--ascii", options.ascii, "draw the live view without Unicode");
  app.add_flag("--attach-marks", options.attach_marks,
               "put hooks into these processes that tell of their steps: Python 3.14 and later")
      ->needs(pids);
  add_guard(app, options.guard);
  add_sitting(app, options.sitting);
  add_rules(app, options.rules);
  app.footer(kExamples);
  if (const auto code = parse_guarded(app, words, "watch", options.guard)) return *code;
  options.guard.settings.chunk_seconds.reset();  // nobody would start it again
  if (options.guard.on && options.pids.size() != 1) {
    return fail("watch", kWrongUse, "--guard needs one PID: the process that the job begins with");
  }
  if (options.pids.empty() && options.name.empty() && options.cgroup.empty()) {
    return fail("watch", kWrongUse, "what to watch? Give a PID, --name PATTERN or --cgroup PATH.");
  }
  return {};
}

}  // namespace

int watch(Words words) {
  WatchOptions options;
  if (const auto code = parse_watch(words, options)) return *code;
  const auto allowed = allowance_now();
  if (!allowed.watch) return fail("watch", kCouldNotLook, allowed.why);
  const bool wants_guard = options.guard.on && !options.guard.dry_run;
  tell_of_what_is_left_out("watch", allowed, !options.sitting.no_census, wants_guard);
  CauseFinder causes(
      census_server("watch", !options.sitting.no_census && allowed.census, options.sitting.keys()),
      options.attach_marks ? CauseFinder::Steps::ToldByTheJob
                           : CauseFinder::Steps::ReadFromOutside);
  StopSignals stop;
  auto collector = open_collector(options);
  if (!collector) {
    return fail("watch", exit_code_of(collector.error()), collector.error().what);
  }
  auto attached = attach(options);
  if (!attached) return fail("watch", exit_code_of(attached.error()), attached.error().what);
  auto guarded = wants_guard && allowed.guard ? attach_guard(options) : Attached{};
  auto& guarding = guarded.guarding;
  view::JsonLines lines;
  const auto subject = subject_of(options);
  auto begin_options = session_options("watch", options.sitting, options.rules, subject);
  if (options.json) write_lines_at_once();
  begin_options.on_entry = [&](const record::Entry& entry, const record::LedgerKeeper& ledgers) {
    if (options.json) print(lines.add(entry, ledgers));
    if (guarding) guarding->take(entry);
  };
  auto session = Session::begin(*std::move(collector), std::move(begin_options));
  if (!session) return fail("watch", kCouldNotLook, session.error().what);

  Screen screen(screen_of(options), options.ascii);
  bool leave = false;
  while (!leave) {
    if (session->now_ns() >= session->due_ns()) {
      if (*attached) (*attached)->marks().pass_on(*session);
      session->look();
      causes.after_look(*session);
      if (guarding) guarding->after_look(*session);
    }
    if (options.guard.dry_run) return print_plan(*session, options.guard);
    if (options.json) print_json(*session, lines, subject);
    screen.show(*session);
    if (session->collector().all_gone() || enough_seen(*session, options.sitting)) break;
    if (cpu_time_runs_out()) {
      fail("watch", kCouldNotLook, "the watch ends here: our CPU time runs out (ulimit -t)");
      break;
    }
    const bool signalled = wait(*session, wake_ns(*session, options.sitting), stop.fd(),
                                screen.fd(), guarding ? guarding->fd() : -1);
    if (guarding) guarding->hear(&*session);
    leave = (signalled && stop.taken()) || screen.take_keys(*session);
  }
  screen.close();
  if (*attached) (*attached)->marks().pass_on_rest(*session);
  causes.finish(*session);
  if (guarding) (void)guarding->finish(&*session);
  const auto ending = session->end();
  if (options.json) {
    print(lines.last_verdict(ending.verdicts, subject,
                             view::killed(session->summary().accounts(), view::Tense::Over)));
    if (!causes.note().empty()) fail("watch", kNothingWrong, causes.note());
  } else if (!options.sitting.quiet) {
    print_ending(*session, ending, causes.note(), stdout);
  }
  return exit_code_of(ending.verdicts, session->summary().accounts());
}

}  // namespace tidegauge::cli
