// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <list>

#include "base/clock.h"
#include "base/text.h"
#include "cli/allowance.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/job_environment.h"
#include "cli/job_marks.h"
#include "cli/options.h"
#include "cli/page_file.h"
#include "cli/served_job.h"
#include "cli/stop_signals.h"
#include "cli/web_routes.h"
#include "cli/web_server.h"
#include "guard/supervise.h"
#include "proc/cmdline.h"
#include "proc/find.h"
#include "proc/root.h"
#include "record/store.h"
#include "secrets/mask.h"
#include "serve/token.h"

namespace tidegauge::cli {

namespace {

constexpr const char* kExamples = R"(
examples:
  tidegauge serve                            recordings of earlier runs
  tidegauge serve 4711 4712                  two jobs, side by side
  tidegauge serve --name train.py            whatever is called that, also later
  tidegauge serve --run -- python train.py   starts a job and shows it

Open the address that is printed: it holds a token, without which nothing is shown. Only this
machine is listened to; from another one: ssh -L 8433:127.0.0.1:8433 HOST. Metrics are at /metrics.
Ctrl-C ends it; with --run the first one is the job's.
)";

constexpr std::size_t kMostJobs = 64;
constexpr double kLookForNamesSeconds = 5;
constexpr std::int64_t kLongestWaitNs = 1'000'000'000;

struct ServeOptions {
  std::vector<pid_t> pids{};
  std::string name{};
  bool run = false;
  std::vector<std::string> command{};
  std::optional<int> port{};
  SittingOptions sitting{};
  verdict::Rules rules{};
};

std::optional<int> parse_serve(Words words, ServeOptions& options) {
  CommandLine app("A live page of jobs and recordings, and metrics of them, for this machine.",
                  "serve");
  auto* pids =
      app.add_option("PID", options.pids, "processes to follow, each with all its children")
          ->check(no_process_id);
  auto* name =
      app.add_option("--name", options.name,
                     "follow what matches this by name or command line, also what comes later")
          ->type_name("PATTERN")
          ->excludes(pids);
  app.add_flag("--run", options.run, "start the command after -- and show it")
      ->excludes(pids)
      ->excludes(name);
  app.add_option("--port", options.port, "where to listen; 0: any that is free [8433]")
      ->within(0, 65535)
      ->type_name("N");
  add_duration(app, "--interval", options.sitting.interval_seconds, "time between two looks [1s]");
  app.add_flag("--no-record", options.sitting.no_record, "keep no recordings");
  add_show_keys(app, options.sitting.show_keys);
  app.add_flag("--no-census", options.sitting.no_census,
               "do not look into Python processes that grow");
  add_rules(app, options.rules);
  app.footer(kExamples);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const auto ours = static_cast<std::size_t>(dashes - words.begin());
  if (const auto code = app.parse(words.subspan(0, ours))) return code;
  if (dashes != words.end()) options.command.assign(dashes + 1, words.end());
  if (options.run != !options.command.empty()) {
    return fail("serve", kWrongUse, "a command is started by --run -- COMMAND");
  }
  return {};
}

std::string command_of(pid_t pid) {
  const auto root = proc::Root::open(proc::Roots{}.proc);
  const auto text = root ? root->read(pid, "cmdline") : Result<std::string>(root.error());
  auto command = text ? secrets::masked_command(proc::parse_cmdline(*text)) : std::string();
  return command.empty() ? fmt::format("pid {}", pid) : command;
}

// Two jobs that begin in the same second have recordings of their own.
std::string recording_for(const std::string& command, pid_t pid) {
  const auto usual = record::new_path(command);
  if (!usual) return {};
  const auto end = usual->rfind('.');
  return fmt::format("{}-{}{}", usual->substr(0, end), pid, usual->substr(end));
}

CauseFinder causes_for(const ServeOptions& options) {
  return CauseFinder(
      census_server("serve", !options.sitting.no_census, options.sitting.keys()),
      options.run ? CauseFinder::Steps::ToldByTheJob : CauseFinder::Steps::ReadFromOutside);
}

// All that is served, and the loop that keeps it up to date.
class Serving {
 public:
  Serving(const ServeOptions& options, WebServer web) : options_(options), web_(std::move(web)) {}

  // That there is nothing yet.
  void begin() { tell(true); }
  Result<> add(pid_t pid, std::string command, CauseFinder causes, JobMarks* marks = nullptr);
  ServedJob& first() { return jobs_.front(); }
  void end_first();
  // Looks where it is time, and tells the page. How long until there is something to do.
  std::int64_t turn();
  bool server_gone() const { return web_.gone(); }
  int fd() const { return web_.fd(); }
  void look_for_names();
  void end();

 private:
  void tell(bool all);
  bool is_served(pid_t pid) const;

  const ServeOptions& options_;
  WebServer web_;
  std::list<ServedJob> jobs_{};
  double names_due_ = 0;
};

Result<> Serving::add(pid_t pid, std::string command, CauseFinder causes, JobMarks* marks) {
  if (jobs_.size() == kMostJobs)
    return Error{Reason::Unsupported, fmt::format("{} jobs are the most", kMostJobs)};
  ServedJob::Options job{.pid = pid,
                         .command = std::move(command),
                         .sitting = options_.sitting,
                         .rules = options_.rules,
                         .marks = marks};
  if (!options_.sitting.no_record) job.own_path = recording_for(job.command, pid);
  auto made = ServedJob::begin(job, std::move(causes));
  if (!made) return made.error();
  jobs_.push_back(*std::move(made));
  tell(true);
  return Ok{};
}

bool Serving::is_served(pid_t pid) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [pid](const ServedJob& job) { return job.pid() == pid && !job.ended(); });
}

void Serving::look_for_names() {
  const double now = clock_seconds(CLOCK_MONOTONIC);
  if (options_.name.empty() || now < names_due_) return;
  names_due_ = now + kLookForNamesSeconds;
  const auto found = proc::find_by_name(options_.name, proc::Roots{});
  if (!found) return;
  for (const auto pid : *found) {
    // One that ends at once, or is not ours to read: it is looked for again, and not told of.
    if (!is_served(pid)) const auto ignored = add(pid, command_of(pid), causes_for(options_));
  }
}

void Serving::tell(bool all) {
  std::vector<view::JobNow> now;
  std::string known;
  for (const auto& job : jobs_) {
    now.push_back(job.now());
    known += fmt::format("{} {} {} {}\n", job.key(), job.pid(), job.ended() ? 0 : 1,
                         now.back().recording);
  }
  if (all) web_.tell_known(known);
  web_.tell(kJobsChannel, view::jobs_json(now));
  web_.tell(kMetricsChannel, view::metrics_text(now, TIDEGAUGE_VERSION));
}

std::int64_t Serving::turn() {
  look_for_names();
  const bool asked = web_.listen();
  bool anything = asked;
  bool ended = false;
  std::int64_t wait = kLongestWaitNs;
  for (auto& job : jobs_) {
    const bool news = job.look_if_due();
    anything = anything || news;
    ended = ended || (news && job.ended());
    if ((news || asked) && web_.is_followed(job.key())) web_.tell(job.key(), job.live());
    if (!job.ended()) wait = std::min(wait, job.wait_ns());
  }
  if (anything) tell(ended);
  return wait;
}

void Serving::end_first() {
  first().end();
  if (web_.is_followed(first().key())) web_.tell(first().key(), first().live());
  tell(true);
}

void Serving::end() {
  for (auto& job : jobs_) job.end();
}

void wait(std::int64_t ns, int stop_fd, int web_fd) {
  pollfd fds[] = {{stop_fd, POLLIN, 0}, {web_fd, POLLIN, 0}};
  const timespec left{ns / 1'000'000'000, ns % 1'000'000'000};
  ::ppoll(fds, 2, &left, nullptr);
}

// Until its end; the job's signals, input and output are its own, as with `run`.
void serve_started_job(guard::Job& job, JobMarks& marks, Serving& serving) {
  marks.listen_to(job, serving.first().session());
  while (!job.status()) job.pump(serving.turn(), serving.fd());
  job.on_output({});
  serving.end_first();
}

int serve_until_stopped(Serving& serving) {
  StopSignals stop;
  while (!stop.taken() && !serving.server_gone()) {
    wait(serving.turn(), stop.fd(), serving.fd());
  }
  serving.end();
  if (serving.server_gone())
    return fail("serve", kCouldNotLook, "the process that serves the page died");
  return kNothingWrong;
}

Result<guard::Job> start_job(const ServeOptions& options, const JobMarks& marks) {
  return guard::Job::start({.arguments = options.command,
                            .environment = variables_of({.command = options.command.front(),
                                                         .ring = marks.ring(),
                                                         .recording = {},
                                                         .ask_page = marks.ask_page()}),
                            .tap_terminal = marks.wants_terminal()});
}

int run_and_serve(const ServeOptions& options, Serving& serving) {
  JobMarks marks({});
  auto causes = causes_for(options);
  {
    auto job = start_job(options, marks);
    if (!job) {
      fail("serve", kCouldNotLook, job.error().what);
      const bool ours = job.error().reason == Reason::Failed;
      return ours ? kCouldNotLook : guard::exit_code_for(job.error());
    }
    std::signal(SIGPIPE, SIG_IGN);
    const auto added = serving.add(job->pid(), secrets::masked_command(options.command),
                                   std::move(causes), &marks);
    if (added) serve_started_job(*job, marks, serving);
    while (!job->status()) job->pump(-1);
    if (!added) fail("serve", kCouldNotLook, added.error().what);
  }
  return serve_until_stopped(serving);
}

}  // namespace

int serve(Words words) {
  ServeOptions options;
  if (const auto code = parse_serve(words, options)) return *code;
  if (!has_page())
    return fail("serve", kCouldNotLook,
                "this tidegauge was built without the page (npm was missing)");
  const auto path = serve::token_path();
  const auto token = path ? serve::kept_token(*path) : path;
  if (!token) return fail("serve", kCouldNotLook, token.error().what);
  auto web = WebServer::start({.port = options.port,
                               .token = *token,
                               .rules = options.rules,
                               .show_keys = options.sitting.show_keys});
  if (!web) return fail("serve", kCouldNotLook, web.error().what);
  put(stderr, fmt::format("tidegauge serve: http://127.0.0.1:{}/#token={}\n", web->port(), *token));
  Serving serving(options, *std::move(web));
  serving.begin();
  if (options.run) return run_and_serve(options, serving);
  for (const auto pid : options.pids) {
    if (const auto added = serving.add(pid, command_of(pid), causes_for(options)); !added) {
      return fail("serve", exit_code_of(added.error()), added.error().what);
    }
  }
  return serve_until_stopped(serving);
}

}  // namespace tidegauge::cli
