// SPDX-License-Identifier: Apache-2.0
#include "proc/collector.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "base/units.h"
#include "proc/deep_scan.h"
#include "proc/interval.h"
#include "proc/surroundings.h"
#include "proc/warnings.h"
#include "proc/watchlist.h"

namespace tidegauge::proc {

namespace {

// A look that comes later than this many intervals is worth an event: the series has a hole.
constexpr double kGapIntervals = 3;
constexpr double kGapSeconds = 2;

std::int64_t unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Time that the machine has slept since it was started: the monotonic clock stands still then.
double slept_seconds() {
  return clock_seconds(CLOCK_BOOTTIME) - clock_seconds(CLOCK_MONOTONIC);
}

// Forked a moment ago and not run yet, or run in its parent's memory until it calls exec (vfork, as
// Python's subprocess does): what it seems to hold is its parent's.
bool holds_only_its_parents(const record::ProcessSample& process) {
  return process.activity.minor_faults == 0u && process.activity.major_faults == 0u;
}

}  // namespace

struct Collector::State {
  State(const CollectOptions& asked, Root root)
      : options(asked),
        interval(asked.interval_seconds),
        watchlist(std::move(root), affordable_kept_files(asked.most_kept_files)),
        deep_scanner(asked) {}

  void be_surrounded_by(Surroundings found);
  void add_gap(std::int64_t now_ns);
  void add_sample(std::int64_t now_ns);
  void warn_of_stretching();

  CollectOptions options;
  Interval interval;
  Warnings warnings;
  Watchlist watchlist;
  std::optional<Surroundings> surroundings;
  DeepScanner deep_scanner;
  std::vector<record::Entry> entries;
  std::optional<std::int64_t> last_ns;
  double slept = slept_seconds();
  std::int64_t opened_unix_ns = unix_ns();
};

void Collector::State::be_surrounded_by(Surroundings found) {
  surroundings = std::move(found);
  for (const auto& missing : surroundings->missing()) warnings.say(missing);
}

void Collector::State::add_gap(std::int64_t now_ns) {
  const double slept_before = std::exchange(slept, slept_seconds());
  const double asleep = slept - slept_before;
  const double since = last_ns ? static_cast<double>(now_ns - *last_ns) / 1e9 : interval.seconds();
  last_ns = now_ns;
  const double late = std::max(kGapSeconds, kGapIntervals * interval.seconds());
  if (since <= late && asleep <= late) return;
  entries.emplace_back(record::Event{
      .at_ns = now_ns, .kind = record::EventKind::Gap, .value = std::max(since, asleep)});
}

void Collector::State::add_sample(std::int64_t now_ns) {
  record::Sample sample;
  sample.at_ns = now_ns;
  surroundings->put_into(sample);
  sample.processes.reserve(watchlist.members().size());
  for (auto& watched : watchlist.members()) {
    auto& process = sample.processes.emplace_back(watched.reader.last());
    if (holds_only_its_parents(process)) process.memory = {};
    process.activity.fds = watched.rare.fds();
    process.activity.vmas = watched.rare.vmas();
    process.memory.gpu = surroundings->gpu_of(process.id.pid);
    if (const auto shares = std::exchange(watched.deep.fresh, {})) {
      process.memory.uss = shares->uss;
      process.memory.pss = shares->pss;
      process.memory.pss_anon = shares->pss_anon;
      process.memory.pss_file = shares->pss_file;
      process.memory.pss_shmem = shares->pss_shmem;
    }
  }
  entries.emplace_back(std::move(sample));
}

void Collector::State::warn_of_stretching() {
  if (!interval.is_stretched()) return;
  warnings.once(
      Warnings::About::Interval,
      fmt::format("a look at {} processes takes {:.3g} ms of a core: looking every {} "
                  "instead of every {}",
                  watchlist.members().size(), interval.look_seconds() * 1e3,
                  format_duration(interval.seconds()), format_duration(interval.asked_seconds())));
}

Collector::Collector(std::unique_ptr<State> state) : state_(std::move(state)) {}
Collector::Collector(Collector&&) noexcept = default;
Collector& Collector::operator=(Collector&&) noexcept = default;
Collector::~Collector() = default;

Result<Collector> Collector::open(const std::vector<pid_t>& roots, const CollectOptions& options) {
  auto root = Root::open(options.roots.proc);
  if (!root) return root.error();
  auto state = std::make_unique<State>(options, std::move(*root));
  Collector collector(std::move(state));
  for (const auto pid : roots) {
    if (const auto added = collector.add_root(pid); !added) return added.error();
  }
  if (!collector.state_->surroundings) return Error{Reason::Gone, "no process to watch"};
  return collector;
}

Result<Collector> Collector::open_cgroup(const std::string& path, const CollectOptions& options) {
  auto root = Root::open(options.roots.proc);
  if (!root) return root.error();
  auto state = std::make_unique<State>(options, std::move(*root));
  if (const auto done = state->watchlist.follow_cgroup(options.roots, path); !done) {
    return done.error();
  }
  state->be_surrounded_by(Surroundings::of_cgroup(options, path));
  return Collector(std::move(state));
}

Result<> Collector::add_root(pid_t pid) {
  const auto added = state_->watchlist.add_root(pid);
  if (!added) {
    const auto& error = added.error();
    if (error.reason != Reason::Denied) return error;
    return Error{Reason::Denied,
                 fmt::format("process {} is not ours to read ({}); run as root, or have /proc "
                             "mounted without hidepid",
                             pid, error.what)};
  }
  if (!state_->surroundings) {
    state_->be_surrounded_by(Surroundings::of_process(state_->options, pid));
  }
  return Ok{};
}

const std::vector<record::Entry>& Collector::collect(std::int64_t now_ns) {
  auto& state = *state_;
  const CpuClock clock;
  state.entries.clear();
  auto changes = state.watchlist.look(now_ns, state.interval.seconds());
  for (auto& process : changes.processes) state.entries.emplace_back(std::move(process));
  for (auto& event : changes.events) state.entries.emplace_back(std::move(event));
  state.watchlist.look_rarely(now_ns, state.warnings);
  if (state.surroundings->awaits_gpu_use() && state.watchlist.finds_gpu_use(now_ns)) {
    state.surroundings->begin_with_gpus();
  }
  state.surroundings->look(now_ns, state.watchlist.pids(), changes.membership);
  for (auto& event : state.surroundings->take_oom_kills(now_ns)) {
    state.entries.emplace_back(std::move(event));
  }
  state.add_gap(now_ns);
  const double deep_seconds = state.deep_scanner.work(now_ns, state.watchlist.files().root(),
                                                      state.watchlist.members(), state.warnings);
  state.add_sample(now_ns);
  state.interval.add_look(clock.seconds() - deep_seconds);
  state.warn_of_stretching();
  return state.entries;
}

void Collector::told_end(pid_t pid, int status) {
  state_->watchlist.told_end(pid, status);
}

void Collector::add_cost(double cpu_seconds) {
  state_->interval.add_to_look(cpu_seconds);
}

void Collector::look_at_all_next() {
  for (auto& watched : state_->watchlist.members()) watched.reader.look_fully_next();
}

bool Collector::all_gone() const {
  return state_->watchlist.members().empty();
}

double Collector::recommended_interval_seconds() const {
  return state_->interval.seconds();
}

std::vector<std::string> Collector::take_warnings() {
  return state_->warnings.take();
}

record::Header Collector::header(const std::string& tool, const std::string& command) const {
  return {.tool = tool,
          .host = host_name(),
          .command = command,
          .started_unix_ns = state_->opened_unix_ns,
          .ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)),
          .page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
          .interval_seconds = state_->options.interval_seconds};
}

}  // namespace tidegauge::proc
