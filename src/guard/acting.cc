// SPDX-License-Identifier: Apache-2.0
#include "guard/acting.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/clock.h"
#include "guard/group_files.h"

namespace tidegauge::guard {

namespace {

// A number, or an event of a file with its name.
constexpr std::size_t kNewsOfWire = 4096;
// The brake is set again when the job is that much below it.
constexpr double kClearlyBelow = 0.97;

// Who holds less of what has run out is not the one to be killed for it: we choose no victims.
constexpr double kMostOfIt = 0.5;

// A frozen job's memory is counted in batches, and others may be counted with it.
constexpr double kStirs = 4.0 * 1024 * 1024;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kFreezeTakesNs = 50 * kMillisecond;
// Until a thread that computes has noticed that it is to stop; one in a long call takes longer, and
// nobody tells.
constexpr std::int64_t kStopTakesNs = 2 * kMillisecond;
constexpr std::int64_t kListenersNs = 100 * kMillisecond;  // between two looks at who listens
// While nothing has begun yet, and once nothing is left to do but to wait.
constexpr std::int64_t kIdleNs = 5 * kMillisecond;
constexpr int kRemoveTries = 200;

std::int64_t now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

void pause_for(std::int64_t ns) {
  const timespec time{0, ns};
  ::nanosleep(&time, nullptr);
}

bool is_over(int pidfd) {
  pollfd one{pidfd, POLLIN, 0};
  return pidfd >= 0 && ::poll(&one, 1, 0) > 0;
}

}  // namespace

// The job has ended before we could get hold of it: nothing to do.
bool Actor::await_job() {
  while (job_ < 0) {
    if (board_.over || is_over(hands_.gauge)) return false;
    if (const auto pid = board_.job.load(); pid > 0) {
      job_ = pidfd_of(pid).release();
      return job_ >= 0;
    }
    pause_for(kIdleNs);
  }
  return true;
}

void Actor::wait(std::int64_t for_ns) {
  std::array<pollfd, 3> fds{
      {{job_, POLLIN, 0}, {hands_.gauge, POLLIN, 0}, {hands_.trip_wire, POLLIN, 0}}};
  const timespec time{for_ns / 1'000'000'000, for_ns % 1'000'000'000};
  ::ppoll(fds.data(), fds.size(), &time, nullptr);
  std::array<char, kNewsOfWire> news;
  if (fds[2].revents != 0) (void)!::read(hands_.trip_wire, news.data(), news.size());
}

// A limit that no group keeps is one on what the gauge counts, as often as it looks. Which of the
// two binds may change; what is measured does not, since growth is told from it.
Reading Actor::measure() {
  auto reading = hands_.meter.read(hands_.limit);
  const double tree = board_.tree_bytes;
  if (hands_.wanted_limit <= 0 || tree <= 0) return reading;
  const double room = hands_.wanted_limit - tree;
  wanted_binds_ = room < reading.room;
  if (wanted_binds_) {
    reading.room = room;
    reading.binding_used = tree;
  }
  reading.used = tree;
  return reading;
}

Look Actor::look() {
  const auto at = now_ns();
  if (!hands_.cell.can_freeze()) herd_.follow(board_);
  const auto reading = measure();
  track_.add(at, reading.used);
  if (at >= answers_due_ns_ || request_ > 0) {
    answers_ = answers_on(hands_.page, hands_.cell, request_);
    answers_due_ns_ = at + kListenersNs;
  }
  const bool ours_to_raise = hands_.cell.can_limit() || wanted_binds_;
  lendable_ = own_limit() > 0 && ours_to_raise
                  ? lendable_of(own_limit(), reading.machine_total, reading.machine_available,
                                hands_.settings)
                  : 0;
  board_.peak = std::max(board_.peak.load(), reading.used);
  const bool asked = answers_.count > 0;
  // Without a group what is measured is everybody's who is there.
  const double ours = halts() ? board_.tree_bytes.load() : reading.used;
  const bool mostly_ours = ours >= kMostOfIt * reading.binding_used;
  return {.at_ns = at,
          .used = reading.used,
          .limits = {reading.used + reading.room, asked ? lendable_ : 0},
          .shape = track_.shape(),
          .outlook = {.step_seconds = board_.step_seconds,
                      .bytes_per_step = board_.bytes_per_step,
                      .save_bytes = board_.save_bytes,
                      .save_seconds = 0,
                      .disk_full = board_.disk_full,
                      .word = board_.word},
          .means = {.freeze = freezes_ && hands_.cell.can_freeze(),
                    .halt = halts(),
                    .limit = ours_to_raise,
                    .kill = (hands_.cell.can_kill() || halts()) && mostly_ours && reading.known,
                    .asked = asked},
          .heard = answers_.heard,
          .frozen = board_.frozen_since_ns != 0,
          .lent = lent_,
          .catches_term = board_.catches_term,
          .evidence = board_.evidence_ready,
          .evidence_seconds = static_cast<double>(board_.evidence_ns) / 1e9,
          .ran_seconds = static_cast<double>(at - board_.began_ns) / 1e9};
}

void Actor::tell(NewsKind kind, const Look& seen) {
  const auto count = board_.told.load();
  board_.news[count % Board::kNews] = {now_ns(), kind, seen.used, seen.limits.bytes};
  board_.told = count + 1;
  const std::uint64_t one = 1;
  (void)!::write(hands_.wake, &one, sizeof one);
}

void Actor::freeze() {
  board_.frozen_since_ns = now_ns();
  if (halts()) {
    herd_.stop();
    ++board_.freezes;
    return pause_for(kStopTakesNs);
  }
  freezes_ = hands_.cell.freeze();
  if (!freezes_) {
    board_.frozen_since_ns = 0;
    return;
  }
  ++board_.freezes;
  while (!hands_.cell.is_frozen() && now_ns() < board_.frozen_since_ns + kFreezeTakesNs) {
    pause_for(kMillisecond / 10);
  }
}

void Actor::thaw() {
  const auto since = board_.frozen_since_ns.load();
  hands_.cell.thaw();
  if (since == 0) return;
  herd_.go_on();  // who was stopped by somebody else stays so
  const auto lasted = now_ns() - since;
  board_.frozen_since_ns = 0;
  board_.frozen_ns += lasted;
  board_.longest_freeze_ns = std::max(board_.longest_freeze_ns.load(), lasted);
}

// A job that is braked cannot save: it is let go before it is asked.
void Actor::mind_brake(double used, double line) {
  if (!hands_.cell.has_brake()) return;
  if (used >= line && !brake_off_) {
    brake_off_ = hands_.cell.release_brake();
  } else if (used < line * kClearlyBelow && brake_off_) {
    brake_off_ = !hands_.cell.set_brake(line);
  }
}

void Actor::lend(const Look& seen) {
  if (!wanted_binds_ && !hands_.cell.set_limit(hands_.limit + lendable_)) return;
  lent_ = true;
  board_.most_lent = std::max(board_.most_lent.load(), lendable_);
  tell(NewsKind::Lent, seen);
}

// The kernel refuses while the job still has it; then it is tried again with the next look.
void Actor::take_back() {
  lent_ = hands_.limit > 0 && !hands_.cell.set_limit(kernel_limit_of(hands_.limit, lendable_));
}

// Only what stands still tells the truth; and if it does not, it is no time to wait.
void Actor::gather(const Look& seen) {
  if (board_.frozen_since_ns == 0 || !(halts() || hands_.cell.is_frozen())) return;
  const auto pid = board_.largest_pid.load();
  board_.evidence_pid = pid > 0 ? pid : board_.main.load();
  board_.evidence_ticks = pid > 0 ? board_.largest_ticks.load() : 0;
  EvidenceWait wait(board_, hands_.bells, evidence_seconds_);
  while (wait.goes_on() && !is_over(hands_.gauge)) {
    if (measure().used > seen.used + kStirs) return;
  }
}

void Actor::ask(const Look& seen, NewsKind how) {
  if (hands_.page == nullptr) return;
  const bool and_go_on = how == NewsKind::AskedSave;
  request_ = tidegauge_ask_for(hands_.page, and_go_on ? TIDEGAUGE_SAVE : TIDEGAUGE_SAVE_AND_STOP);
  answers_.heard = Heard::Nothing;
  ++board_.asks;
  board_.for_time = how == NewsKind::AskedEnd;
  tell(how, seen);
}

// Only to those that train.
void Actor::terminate() {
  std::array<pid_t, 1> only{board_.main.load()};
  const bool listeners = answers_.count > 0;
  const pid_t* const whom = listeners ? answers_.who.data() : only.data();
  const std::size_t count = listeners ? answers_.count : 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!hands_.cell.signal(whom[i], SIGTERM)) herd_.signal(whom[i], SIGTERM);
  }
}

void Actor::kill() {
  board_.ended_by_us = true;
  if (halts()) herd_.kill();
  hands_.cell.kill();
  thaw();
}

void Actor::apply(Act act, const Look& seen) {
  switch (act) {
    case Act::Freeze:
      return freeze();
    case Act::LookAgain:
      return this->act(look());
    case Act::Lend:
      return lend(seen);
    case Act::TakeBack:
      return take_back();
    case Act::AskSave:
      return ask(seen, NewsKind::AskedSave);
    case Act::AskStop:
      return ask(seen, NewsKind::AskedStop);
    case Act::AskEnd:
      return ask(seen, NewsKind::AskedEnd);
    case Act::Terminate:
      tell(NewsKind::Terminated, seen);
      return terminate();
    case Act::Kill:
      tell(NewsKind::Killed, seen);
      return kill();
    case Act::Evidence:
      return gather(seen);
    case Act::Thaw:
      return thaw();
    case Act::TellNear:
      return tell(NewsKind::Near, seen);
    case Act::TellSaved:
      request_ = 0;
      return tell(NewsKind::Saved, seen);
    case Act::TellNotSaved:
      request_ = 0;
      return tell(NewsKind::NotSaved, seen);
  }
}

void Actor::act(const Look& seen) {
  const auto acts = ladder_.decide(seen);
  evidence_seconds_ = acts.evidence_seconds;
  for (std::size_t i = 0; i < acts.count; ++i) apply(acts.list[i], seen);
  board_.phase = ladder_.phase();
}

// A job that has saved, was told to end and did is ended by us, even if it was quicker than our
// look; what it leaves behind must not live on beside its next life.
void Actor::end() {
  const bool stopped = ladder_.ends_by_us() || (ladder_.phase() == Phase::Stopping &&
                                                all_saved(hands_.page, answers_, request_));
  if (board_.frozen_since_ns != 0) thaw();
  if (stopped && is_over(job_)) {
    board_.ended_by_us = true;
    herd_.kill();
    hands_.cell.kill();
  }
  board_.done = true;
  tell(NewsKind::Ended, look());
}

// The job or the gauge is gone. Nobody knows any more what grows and why, so nothing is done to
// what is left; its groups are removed when that has ended.
void Actor::keep_until_empty() {
  thaw();
  hands_.cell.release_brake();
  if (lent_) take_back();
  if (hands_.cell.is_adopted()) hands_.cell.release();
  board_.done = true;
  while (!hands_.cell.is_empty()) pause_for(kIdleNs * 100);
  // Whoever has ended is gone from one group before the other, and some take a moment.
  for (int tries = 0; tries < kRemoveTries && !hands_.cell.remove(); ++tries) pause_for(kIdleNs);
  if (is_over(hands_.gauge)) hands_.cell.step_back();
  ::_exit(0);
}

void Actor::take_over() {
  herd_.follow(board_);
  thaw();
  tell(NewsKind::TookOver, look());
}

void Actor::run() {
  if (!await_job()) {
    if (is_over(hands_.gauge)) keep_until_empty();
    board_.done = true;
    ::_exit(0);
  }
  while (!is_over(job_) && !board_.over) {
    if (is_over(hands_.gauge)) keep_until_empty();
    const auto seen = look();
    const auto lines = lines_of(seen.limits, seen.shape, seen.outlook, hands_.settings);
    mind_brake(seen.used, lines.freeze);
    act(seen);
    wait(wait_ns(seen.used, lines));
  }
  end();
  // Others of its tree may live on; then its groups stay until they have ended, too.
  keep_until_empty();
}

}  // namespace tidegauge::guard
