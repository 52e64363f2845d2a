// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/idle_pages.h"
#include "cli/judge_pace.h"
#include "cli/output_file.h"
#include "cli/page_file.h"
#include "record/file.h"
#include "record/store.h"

namespace tidegauge::cli {

namespace {

constexpr double kNsPerSecond = 1e9;
// From so many processes on, what is done with a sample is part of what a look costs. (Of fewer it
// is next to nothing, and the clock is a system call.)
constexpr std::size_t kMany = 200;

bool is_known(verdict::Class klass) {
  return klass != verdict::Class::Undecided;
}

std::int64_t to_ns(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * kNsPerSecond));
}

}  // namespace

struct Session::State {
  State(proc::Collector its_collector, SessionOptions its_options)
      : collector(std::move(its_collector)),
        options(std::move(its_options)),
        gauge(options.rules),
        started_ns(clock_ns(CLOCK_MONOTONIC)) {}

  void take(const record::Entry& entry);
  void judge_if_due();
  void judge();
  void judge_all();
  void write(const record::Entry& entry);
  std::string close_recording();
  Result<std::string> write_report(const verdict::Verdicts& about,
                                   const std::string& recording) const;

  proc::Collector collector;
  SessionOptions options;
  record::Header header{};
  std::optional<record::Writer> writer{};
  verdict::Gauge gauge;
  view::Summary summary{};
  record::LedgerKeeper ledgers{};  // for all
  record::Sample sample{};
  verdict::Verdicts verdicts{};
  std::int64_t started_ns = 0;
  std::int64_t due_ns = 0;
  LastVerdict judged{};
  LastVerdict judged_all{};
  bool fresh = false;
};

void Session::State::write(const record::Entry& entry) {
  if (!writer) return;
  const auto done = writer->append(entry);
  if (done) return;
  const auto& error = done.error();
  const auto recorded = writer->bytes_written() > 0 ? Recorded::SomeOfIt : Recorded::Nothing;
  options.warn(error.reason == Reason::NoRoom ? words_of_no_room(error, recorded, options.telling)
                                              : error.what);
}

// What is left of the recording: its path, or nothing.
std::string Session::State::close_recording() {
  const auto path = writer->path();
  const auto done = writer->close();
  const bool anything = writer->bytes_written() > 0;
  if (!done && done.error().reason != Reason::NoRoom) {
    options.warn(done.error().what);
  } else if (!done) {
    options.warn(anything
                     ? fmt::format("{} ends at {}: there was no room for the rest", printable(path),
                                   format_duration(writer->seconds_written()))
                     : printable(path) + ": there never was room for it: no recording is kept");
  }
  writer.reset();
  return anything ? path : std::string();
}

void Session::State::take(const record::Entry& entry) {
  if (const auto* seen = std::get_if<record::Sample>(&entry)) sample = *seen;
  ledgers.add(entry);
  write(entry);
  gauge.add(entry, ledgers);
  summary.add(entry, ledgers);
  if (options.on_entry) options.on_entry(entry, ledgers);
}

void Session::State::judge_if_due() {
  const auto held = static_cast<double>(ledgers.last().total);
  if (verdicts.all.empty() || judged_all.is_due(kJudgeAll, sample.at_ns, held)) return judge_all();
  if (judged.is_due(kJudgeTree, sample.at_ns, held)) judge();
}

void Session::State::judge() {
  const CpuClock clock;
  auto tree = gauge.judge_first();
  give_back_free_heap();
  fresh = true;
  judged = {.at_ns = sample.at_ns,
            .held_bytes = static_cast<double>(ledgers.last().total),
            .cost_seconds = clock.seconds(),
            .known = is_known(tree.all.front().klass)};
  const bool changed = tree.all.front().klass != verdicts.all.front().klass;
  if (changed) return judge_all();  // what is told of a change fits together
  verdicts.all.front() = std::move(tree.all.front());
  verdicts.explanation = std::move(tree.explanation);
}

void Session::State::judge_all() {
  const CpuClock clock;
  verdicts = gauge.judge();
  give_back_free_heap();
  give_back_idle_code();  // it takes minutes until all are judged again
  fresh = true;
  judged_all = {.at_ns = sample.at_ns,
                .held_bytes = static_cast<double>(ledgers.last().total),
                .cost_seconds = clock.seconds(),
                .known = is_known(verdicts.all.front().klass)};
  // The tree's was one of them.
  const auto cost = std::min(judged.cost_seconds, judged_all.cost_seconds);
  judged = judged_all;
  judged.cost_seconds = cost;
}

Result<std::string> Session::State::write_report(const verdict::Verdicts& about,
                                                 const std::string& recording) const {
  const auto refuse = [](const Error& error) {
    return Error{error.reason, "the report could not be written: " + error.what};
  };
  const auto path = recording + (has_page() ? ".html" : ".md");
  const auto kind = has_page() ? OutputKind::Page : OutputKind::Markdown;
  if (const auto good = may_write(path, kind); !good) return refuse(good.error());
  const auto text = has_page() ? page_of_recording(recording, summary, about)
                               : Result<std::string>(summary.markdown(about, recording));
  if (!text) return refuse(text.error());
  // Command lines are in it, as they are in the recording.
  const auto done = write_file(path, *text, rights_of({&recording, 1}));
  if (!done) return refuse(done.error());
  return path;
}

std::string words_of_no_room(const Error& error, Recorded recorded, Telling telling) {
  // Whether room has come is told by where the recording ends.
  if (telling == Telling::OnceItIsOver) {
    return error.what + (recorded == Recorded::Nothing
                             ? " when it was to begin; watching went on meanwhile"
                             : "; watching went on, and what was seen waited in memory for room");
  }
  return error.what + (recorded == Recorded::Nothing
                           ? "; watching goes on, and is recorded once there is room"
                           : "; watching goes on, what was recorded is kept, more is recorded once "
                             "there is room");
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::begin(proc::Collector collector, SessionOptions options) {
  auto state = std::make_unique<State>(std::move(collector), std::move(options));
  const auto& asked = state->options;
  state->header = state->collector.header(std::string(kTool), asked.command);
  state->header.interval_seconds = asked.interval_seconds;
  state->header.started_unix_ns = clock_ns(CLOCK_REALTIME);
  if (asked.record) {
    const auto path = asked.record_path         ? Result<std::string>(*asked.record_path)
                      : !asked.own_path.empty() ? Result<std::string>(asked.own_path)
                                                : record::new_path(asked.command);
    auto writer = path ? record::Writer::create(*path, state->header, record::Bounds{})
                       : Result<record::Writer>(path.error());
    if (!writer && asked.record_path) return writer.error();
    if (writer) {
      state->writer.emplace(*std::move(writer));
    } else {
      asked.warn("no recording is kept: " + writer.error().what);
    }
  }
  state->gauge.begin(state->header);
  state->summary.begin(state->header);
  return Session(std::move(state));
}

std::int64_t Session::now_ns() const {
  return clock_ns(CLOCK_MONOTONIC) - state_->started_ns;
}
std::int64_t Session::due_ns() const {
  return state_->due_ns;
}

void Session::look() {
  auto& state = *state_;
  const auto now = now_ns();
  const auto& entries = state.collector.collect(now);
  std::optional<CpuClock> clock;
  if (state.sample.processes.size() >= kMany) clock.emplace();
  for (const auto& entry : entries) state.take(entry);
  if (clock) state.collector.add_cost(clock->seconds());
  for (const auto& warning : state.collector.take_warnings()) state.options.warn(warning);
  const auto step = to_ns(
      std::max(state.options.interval_seconds, state.collector.recommended_interval_seconds()));
  // Keep to the grid; after a pause go on from now instead of catching up.
  state.due_ns = std::max(state.due_ns + step, now + step / 2);
  state.judge_if_due();
}

void Session::add(const record::Event& mark) {
  state_->take(record::Entry(mark));
}

record::RingClock Session::ring_clock() const {
  return {.now_ns = clock_ns(CLOCK_MONOTONIC), .began_ns = state_->started_ns};
}

record::ProcessId Session::who_is(pid_t pid) const {
  const auto& processes = state_->sample.processes;
  const auto found = std::find_if(processes.begin(), processes.end(),
                                  [pid](const auto& one) { return one.id.pid == pid; });
  return found == processes.end() ? record::ProcessId{} : found->id;
}

proc::Collector& Session::collector() {
  return state_->collector;
}
const record::Header& Session::header() const {
  return state_->header;
}
const record::Sample& Session::sample() const {
  return state_->sample;
}
const verdict::Verdicts& Session::verdicts() const {
  return state_->verdicts;
}
const view::Summary& Session::summary() const {
  return state_->summary;
}
bool Session::take_fresh_verdict() {
  return std::exchange(state_->fresh, false);
}

std::string Session::recording() const {
  return state_->writer ? state_->writer->path() : std::string();
}

Result<std::string> Session::write_report() {
  if (!state_->writer)
    return Error{Reason::Unsupported, "no recording is kept, so there is no report"};
  return state_->write_report(state_->gauge.judge(), state_->writer->path());
}

Session::Ending Session::end() {
  auto& state = *state_;
  Ending ending{
      .verdicts = state.gauge.judge(verdict::Rules::Mode::Finished), .recording = {}, .report = {}};
  if (!state.writer) return ending;
  ending.recording = state.close_recording();
  if (ending.recording.empty()) return ending;
  const auto report = state.write_report(ending.verdicts, ending.recording);
  if (report) ending.report = *report;
  if (!report) state.options.warn(report.error().what);
  return ending;
}

}  // namespace tidegauge::cli
