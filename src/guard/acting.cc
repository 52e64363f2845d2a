// SPDX-License-Identifier: Apache-2.0
#include "guard/acting.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>

namespace tidegauge::guard {

namespace {

// The brake is set again when the job is that much below it.
constexpr double kClearlyBelow = 0.97;

// Who holds less of what has run out is not the one to be killed for it: we choose no victims.
constexpr double kMostOfIt = 0.5;

// Of the distance between where it is killed and its limit: a job that has no more than this left
// and does not stand still yet is not waited for.
constexpr double kGivesUpAt = 0.75;

// From there on who holds it is asked anew.
constexpr double kCloseToFull = 0.1;

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
constexpr std::int64_t kLateNs = 500 * kMillisecond;
constexpr int kCountedTries = 2000;  // a gauge that is busy with its report may take long

// On the board: which of the two holds, and how many of its acts are done.
constexpr std::uint32_t kKeptMask = 0xff;
constexpr std::uint32_t kKeptShift = 8;

// While it lives nobody takes us for stopped who hears nothing of us for a while.
class InCall {
 public:
  explicit InCall(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  InCall(const InCall&) = delete;
  InCall& operator=(const InCall&) = delete;
  ~InCall() { flag_ = false; }

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

// The job has ended before we could get hold of it: nothing to do.
bool Actor::await_job() {
  while (job_ < 0) {
    if (board_.over || is_over(hands_.gauge)) return false;
    if (const auto pid = board_.job.load(); pid > 0) {
      job_ = hands_.machine.open_process(pid);
      return job_ >= 0;
    }
    pause(kIdleNs);
  }
  return true;
}

void Actor::pause(std::int64_t ns) {
  beat();
  hands_.machine.pause(ns);
}

void Actor::wait(std::int64_t for_ns) {
  beat();
  std::array<pollfd, 3> fds{
      {{job_, POLLIN, 0}, {hands_.gauge, POLLIN, 0}, {hands_.trip_wire, POLLIN, 0}}};
  (void)hands_.machine.wait(fds, for_ns);
  if (fds[2].revents != 0) hands_.machine.hush(hands_.trip_wire);
}

// A limit that no group keeps is one on what the gauge counts, as often as it looks. Which of the
// two binds may change; what is measured does not, since growth is told from it.
Reading Actor::measure() {
  auto reading = hands_.meter.read(hands_.limit, {board_.ours_beside, board_.ours_inside});
  const double tree = board_.tree_bytes;
  if (hands_.wanted_limit <= 0 || tree <= 0) return reading;
  const double room = hands_.wanted_limit - tree;
  wanted_binds_ = room < reading.room;
  if (wanted_binds_) {
    reading.room = room;
    reading.real_room = std::min(reading.real_room, room);
    reading.binding_used = tree;
  }
  reading.used = tree;
  return reading;
}

Look Actor::look() {
  beat();
  const auto at = now_ns();
  if (!hands_.cell.can_freeze()) herd_.follow(board_);
  const auto reading = measure();
  track_.add(at, reading.used);
  if (at >= answers_due_ns_ || request_ > 0) {
    const auto answers = answers_on(hands_.page, hands_.cell, request_);
    // Of one that has ended meanwhile those are needed that it gave when it was there.
    if (!is_over(job_)) answers_ = answers;
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
  const double needed = kMostOfIt * reading.binding_used;
  double held = halts() ? board_.tree_bytes.load() : reading.used;
  // The gauge's last look may be a second old.
  if (halts() && held < needed && reading.room < reading.binding_used * kCloseToFull) {
    held = herd_.bytes();
  }
  const bool mostly_ours = held >= needed;
  return {.at_ns = at,
          .used = reading.used,
          .limits = {.bytes = reading.used + reading.room,
                     .lendable = asked ? lendable_ : 0,
                     .ours = reading.room - reading.real_room,
                     .with_us = reading.with_us},
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
          .lent = board_.lent,
          .catches_term = board_.catches_term,
          .evidence = board_.evidence_ready,
          .evidence_seconds = static_cast<double>(board_.evidence_ns) / 1e9,
          .ran_seconds = static_cast<double>(at - board_.began_ns) / 1e9};
}

void Actor::tell(NewsKind kind, const Look& seen) {
  const auto count = board_.told.load();
  board_.news[count % Board::kNews] = {now_ns(), kind, seen.used, seen.limits.bytes};
  board_.told = count + 1;
  hands_.machine.ring(hands_.wake);
}

// One that goes on filling its memory inside a system call does not stand still before that ends:
// whoever waited for it would find the kernel's killer there first.
bool Actor::runs_away(const Look& seen) {
  const auto lines = lines_of(seen.limits, seen.shape, seen.outlook, hands_.settings);
  const double real = seen.limits.bytes - seen.limits.ours;
  const double most = real + seen.limits.lendable;
  const double now = board_.lent ? most : kernel_limit_of(real, seen.limits.lendable);
  return measure().used > now - (most - lines.top) * kGivesUpAt;
}

void Actor::freeze(const Look& seen) {
  board_.frozen_since_ns = now_ns();
  const auto until = board_.frozen_since_ns + (halts() ? kStopTakesNs : kFreezeTakesNs);
  if (halts()) {
    herd_.stop(board_);
    ++board_.freezes;
    while (now_ns() < until && !runs_away(seen)) pause(kMillisecond / 10);
    return;
  }
  freezes_ = hands_.cell.freeze();
  if (!freezes_) {
    board_.frozen_since_ns = 0;
    return;
  }
  ++board_.freezes;
  while (!hands_.cell.is_frozen() && now_ns() < until && !runs_away(seen)) {
    pause(kMillisecond / 10);
  }
}

void Actor::thaw() {
  const auto since = board_.frozen_since_ns.load();
  hands_.cell.thaw();
  if (since == 0) return;
  herd_.go_on(board_);  // who was stopped by somebody else stays so
  const auto lasted = now_ns() - since;
  board_.frozen_since_ns = 0;
  board_.frozen_ns += lasted;
  board_.longest_freeze_ns = std::max(board_.longest_freeze_ns.load(), lasted);
}

// A job that is braked cannot save: it is let go before it is asked.
void Actor::mind_brake(double used, double line) {
  if (!hands_.cell.has_brake()) return;
  const InCall in_call(board_.in_call);
  if (used >= line && !brake_off_) {
    brake_off_ = hands_.cell.release_brake();
  } else if (used < line * kClearlyBelow && brake_off_) {
    brake_off_ = !hands_.cell.set_brake(line);
  }
}

void Actor::lend(const Look& seen) {
  // Before the limit is raised: whoever goes on in our place has to know.
  board_.lent = true;
  if (!wanted_binds_ && !hands_.cell.set_limit(hands_.limit + lendable_)) {
    board_.lent = false;
    return;
  }
  board_.most_lent = std::max(board_.most_lent.load(), lendable_);
  tell(NewsKind::Lent, seen);
}

// The kernel refuses while the job still has it; then it is tried again with the next look.
void Actor::take_back() {
  board_.lent =
      hands_.limit > 0 && !hands_.cell.set_limit(kernel_limit_of(hands_.limit, lendable_));
}

// Only what stands still tells the truth; and if it does not, it is no time to wait.
void Actor::gather(const Look& seen) {
  if (board_.frozen_since_ns == 0 || !(halts() || hands_.cell.is_frozen())) return;
  const auto pid = board_.largest_pid.load();
  board_.evidence_pid = pid > 0 ? pid : board_.main.load();
  board_.evidence_ticks = pid > 0 ? board_.largest_ticks.load() : 0;
  EvidenceWait wait(board_, hands_.machine, hands_.bells, evidence_seconds_);
  while (wait.goes_on() && !is_over(hands_.gauge)) {
    beat();
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
      return freeze(seen);
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
      // It has ended by itself in the moment that it took to stop it.
      if (is_over(job_)) return thaw();
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
  const auto before = ladder_;
  const auto acts = ladder_.decide(seen);
  keep(before, acts);
  evidence_seconds_ = acts.evidence_seconds;
  for (std::size_t i = 0; i < acts.count; ++i) {
    apply(acts.list[i], seen);
    // What was decided then is kept in place of this, and nothing comes after it.
    if (acts.list[i] == Act::LookAgain) return;
    kept(i + 1);
  }
  // To look into the job may have taken a while.
  if (ladder_.phase() != before.phase()) ladder_.be_patient_from(now_ns());
  board_.phase = ladder_.phase();
}

std::uint64_t Actor::last_request() const {
  return hands_.page == nullptr ? 0 : tidegauge_ask_number(tidegauge_ask_request(hands_.page));
}

// For whoever goes on in our place: one of the two is written while the other one holds.
void Actor::keep(const Ladder& before, const Acts& acts) {
  const std::uint32_t which = (board_.kept & kKeptMask) == 1 ? 2 : 1;
  board_.carried[which - 1] = Carried{.before = before,
                                      .after = ladder_,
                                      .acts = acts,
                                      .asked = last_request(),
                                      .answers = answers_,
                                      .track = track_};
  board_.kept = which;
}

void Actor::kept(std::size_t done) {
  const auto which = board_.kept & kKeptMask;
  board_.kept = which | static_cast<std::uint32_t>(done) << kKeptShift;
}

Resumption Actor::resume() {
  const auto kept = board_.kept.load();
  if (kept == 0) return {};
  const auto& carried = *board_.carried[(kept & kKeptMask) - 1];
  const auto asked = last_request();
  const auto resumption = resumption_of(carried.acts, kept >> kKeptShift, asked > carried.asked);
  ladder_ = resumption.took_effect ? carried.after : carried.before;
  track_ = carried.track;
  answers_ = carried.answers;
  const bool waits = ladder_.phase() == Phase::Saving || ladder_.phase() == Phase::Stopping;
  request_ = waits ? asked : 0;
  return resumption;
}

// A job that has saved, was told to end and did is ended by us, even if it was quicker than our
// look or slower than we waited; what it leaves behind must not live on beside its next life.
void Actor::end() {
  const auto last = hands_.page == nullptr ? 0 : tidegauge_ask_request(hands_.page);
  const bool told = tidegauge_ask_want(last) == TIDEGAUGE_SAVE_AND_STOP;
  // One that was to be killed may have ended a moment before.
  const bool ends_by_us =
      ladder_.phase() == Phase::Killed ? board_.ended_by_us.load() : ladder_.ends_by_us();
  const bool stopped =
      ends_by_us || (told && all_saved(hands_.page, answers_, tidegauge_ask_number(last)));
  if (board_.frozen_since_ns != 0) thaw();
  if (stopped && is_over(job_)) {
    board_.ended_by_us = true;
    herd_.kill();
    hands_.cell.kill();
  }
  board_.done = true;
  tell(NewsKind::Ended, look());
}

void Actor::kill_for_the_dead() {
  herd_.follow(board_);
  if (resume().kill && board_.ended_by_us) kill();
}

void Actor::end_for_the_dead() {
  herd_.follow(board_);
  (void)resume();
  thaw();
  end();
}

// The job or the gauge is gone. Nobody knows any more what grows and why, so nothing is done to
// what is left; its groups are removed when that has ended.
void Actor::keep_until_empty() {
  thaw();
  hands_.cell.release_brake();
  if (board_.lent) take_back();
  if (hands_.cell.is_adopted()) hands_.cell.release();
  board_.done = true;
  while (!hands_.cell.is_empty()) pause(kIdleNs * 100);
  // What the kernel has counted in them goes with them.
  for (int tries = 0; tries < kCountedTries && !board_.counted && !is_over(hands_.gauge); ++tries) {
    pause(kIdleNs);
  }
  // Whoever has ended is gone from one group before the other, and some take a moment.
  for (int tries = 0; tries < kRemoveTries && !hands_.cell.remove(); ++tries) pause(kIdleNs);
  if (is_over(hands_.gauge)) hands_.cell.step_back();
  board_.cleared = true;
  hands_.machine.leave();
}

void Actor::take_over(Teller teller) {
  board_.in_call = false;
  herd_.follow(board_);
  const auto resumption = resume();
  // A kill that was decided is done if nothing has moved since, or if it has begun.
  const bool stands_still = halts() ? board_.stopped_count > 0 : hands_.cell.is_frozen();
  const bool may_kill = stands_still && !is_over(job_) && !is_over(hands_.gauge);
  if (resumption.kill && (board_.ended_by_us || may_kill)) {
    ladder_ = board_.carried[(board_.kept & kKeptMask) - 1]->after;
    if (!board_.ended_by_us) tell(NewsKind::Killed, look());
    kill();
  }
  thaw();
  ladder_.be_patient_from(now_ns());
  brake_off_ = hands_.cell.release_brake();
  const auto seen = look();
  // It may have been killed before it had raised the limit.
  if (board_.lent && hands_.limit > 0) hands_.cell.set_limit(hands_.limit + lendable_);
  if (teller == Teller::Us) tell(NewsKind::TookOver, seen);
  for (std::size_t i = 0; i < resumption.tell.count; ++i) apply(resumption.tell.list[i], seen);
  board_.phase = ladder_.phase();
}

void Actor::run() {
  if (board_.done) keep_until_empty();
  if (!await_job()) {
    if (is_over(hands_.gauge)) keep_until_empty();
    board_.done = true;
    board_.cleared = true;
    hands_.machine.leave();
  }
  while (!is_over(job_) && !board_.over) {
    if (is_over(hands_.gauge)) keep_until_empty();
    const auto began_ns = now_ns();
    const auto seen = look();
    const auto lines = lines_of(seen.limits, seen.shape, seen.outlook, hands_.settings);
    mind_brake(seen.used, lines.freeze);
    act(seen);
    const auto wait_for = wait_ns(seen.used, lines);
    wait(wait_for);
    // When nothing ran, as where a container is paused, neither did the job.
    const auto late_ns = now_ns() - began_ns - wait_for;
    if (late_ns > kLateNs) ladder_.be_patient_for(late_ns);
  }
  end();
  // Others of its tree may live on; then its groups stay until they have ended, too.
  keep_until_empty();
}

}  // namespace tidegauge::guard
