// SPDX-License-Identifier: Apache-2.0
#include "cli/served_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/job_marks.h"
#include "cli/sitting.h"
#include "proc/collector.h"

namespace tidegauge::cli {

struct ServedJob::State {
  State(Session its_session, CauseFinder its_causes)
      : session(std::move(its_session)), causes(std::move(its_causes)) {}

  std::string key{};
  pid_t pid = 0;
  JobMarks* marks = nullptr;
  Session session;
  CauseFinder causes;
  std::unique_ptr<view::Timeline> timeline{};  // the session's callback knows where it is
  std::string recording{};
  std::optional<verdict::Verdicts> last_words{};
};

ServedJob::ServedJob(std::unique_ptr<State> state) : state_(std::move(state)) {}
ServedJob::ServedJob(ServedJob&&) noexcept = default;
ServedJob& ServedJob::operator=(ServedJob&&) noexcept = default;
ServedJob::~ServedJob() = default;

Result<ServedJob> ServedJob::begin(const Options& options, CauseFinder causes) {
  proc::CollectOptions collect;
  collect.interval_seconds = options.sitting.interval_seconds.value_or(collect.interval_seconds);
  auto collector = proc::Collector::open({options.pid}, collect);
  if (!collector) return collector.error();
  auto timeline = std::make_unique<view::Timeline>(view::Timeline::kLive);
  auto begin = session_options("serve", options.sitting, options.rules, options.command);
  begin.own_path = options.own_path;
  if (options.warn) begin.warn = options.warn;
  begin.on_entry = [course = timeline.get()](const record::Entry& entry,
                                             const record::LedgerKeeper& ledgers) {
    course->add(entry, ledgers);
  };
  auto session = Session::begin(*std::move(collector), std::move(begin));
  if (!session) return session.error();
  timeline->begin(session->header());
  auto state = std::make_unique<State>(*std::move(session), std::move(causes));
  state->timeline = std::move(timeline);
  state->pid = options.pid;
  state->marks = options.marks;
  state->recording = state->session.recording();
  state->session.look();
  state->key = fmt::format("{}-{}", options.pid, state->session.who_is(options.pid).start_ticks);
  return ServedJob(std::move(state));
}

pid_t ServedJob::pid() const {
  return state_->pid;
}
const std::string& ServedJob::key() const {
  return state_->key;
}
bool ServedJob::ended() const {
  return state_->last_words.has_value();
}
Session& ServedJob::session() {
  return state_->session;
}

std::int64_t ServedJob::wait_ns() const {
  return std::max<std::int64_t>(0, state_->session.due_ns() - state_->session.now_ns());
}

bool ServedJob::look_if_due() {
  if (ended() || wait_ns() > 0) return false;
  auto& state = *state_;
  if (state.marks != nullptr) state.marks->pass_on(state.session);
  state.session.look();
  state.causes.after_look(state.session);
  if (state.session.collector().all_gone()) end();
  return true;
}

void ServedJob::end() {
  auto& state = *state_;
  if (ended()) return;
  if (state.marks != nullptr) {
    state.marks->pass_on_rest(state.session);
    state.session.collector().look_at_all_next();
    state.session.look();
  }
  state.causes.finish(state.session);
  state.last_words = state.session.end().verdicts;
}

view::JobNow ServedJob::now() const {
  const auto& state = *state_;
  return {.key = state.key,
          .pid = state.pid,
          .ended = ended(),
          .recording = state.recording,
          .accounts = state.session.summary().accounts(),
          .verdicts = state.last_words ? *state.last_words : state.session.verdicts()};
}

std::string ServedJob::live() const {
  return view::live_json(now(), *state_->timeline);
}

}  // namespace tidegauge::cli
