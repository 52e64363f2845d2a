// SPDX-License-Identifier: Apache-2.0
#include "guard/decide.h"

#include <algorithm>

namespace tidegauge::guard {

namespace {

// Saving must not cost more than this share of the job's time.
constexpr double kSaveShare = 0.02;

// How much higher than ever it has to come to be worth another word.
constexpr double kHigher = 1.005;

// A loan is taken back when the job is that much below the line where it got it: not at its edge,
// where it would get it again.
constexpr double kClearly = 0.97;

// A job that is to go on is looked into in this share of its time at most, and only if that is
// enough to see something.
constexpr double kEvidenceShare = 0.005;
constexpr double kLeastEvidence = 0.25;
// One that is to end may be looked into again after this long; one that is to be killed sooner.
constexpr double kEvidenceEvery = 60;
constexpr double kEvidenceBeforeKill = 10;

std::int64_t to_ns(double seconds) {
  return static_cast<std::int64_t>(seconds * 1e9);
}

}  // namespace

bool Acts::has(Act act) const {
  return std::find(list.begin(), list.begin() + count, act) != list.begin() + count;
}

void Ladder::enter(Phase phase, const Look& look, double patience_seconds) {
  phase_ = phase;
  patience_ns_ = to_ns(patience_seconds);
  be_patient_from(look.at_ns);
}

Acts Ladder::decide(const Look& look) {
  const auto lines = lines_of(look.limits, look.shape, look.outlook, settings_);
  if (phase_ == Phase::Killed) return {};
  if (look.frozen) return while_frozen(look, lines);
  if (is_at_top(look, lines)) {
    Acts acts;
    acts.add(Act::Freeze);
    acts.add(Act::LookAgain);
    return acts;
  }
  auto acts = on_the_way(look, lines);
  if (look.used >= lines.freeze && !near_) {
    near_ = true;
    acts.add(Act::TellNear);
  }
  return acts;
}

Acts Ladder::on_the_way(const Look& look, const Lines& lines) {
  switch (phase_) {
    case Phase::Watching:
      return while_watching(look, lines);
    case Phase::Saving:
      return while_saving(look, lines);
    case Phase::Stopping:
      return while_stopping(look, lines);
    case Phase::Leaving:
    case Phase::Terminating:
      return while_leaving(look);
    case Phase::Killed:
      break;
  }
  return {};
}

// Only what can be made to stand still is killed for its size: else a dip that was there a moment
// ago would be a reason.
bool Ladder::is_at_top(const Look& look, const Lines& lines) const {
  const bool stands_still = look.means.freeze || look.means.halt;
  return settings_.kill && stands_still && look.means.kill && look.used >= lines.top;
}

Acts Ladder::while_frozen(const Look& look, const Lines& lines) {
  Acts acts;
  if (!is_at_top(look, lines)) {
    acts.add(Act::Thaw);
    return acts;
  }
  add_evidence(acts, look, evidence_for(look, kEvidenceBeforeKill));
  acts.add(Act::Kill);
  phase_ = Phase::Killed;
  return acts;
}

double Ladder::evidence_for(const Look& look, double since_seconds) const {
  if (!settings_.evidence || !look.evidence) return 0;
  const bool lately = evidence_ns_ >= 0 && look.at_ns < evidence_ns_ + to_ns(since_seconds);
  return lately ? 0 : settings_.evidence_seconds;
}

void Ladder::add_evidence(Acts& acts, const Look& look, double seconds) {
  if (seconds <= 0) return;
  acts.add(Act::Evidence);
  acts.evidence_seconds = seconds;
  evidence_ns_ = look.at_ns;
}

bool Ladder::may_ask(const Look& look) const {
  return settings_.ask && look.means.asked && !look.outlook.disk_full;
}

bool Ladder::should_ask(const Look& look, const Lines& lines) const {
  if (!may_ask(look) || deaf_) return false;
  const double took = std::max(answered_seconds_, look.outlook.save_seconds);
  const double spacing = std::max(settings_.ask_every_seconds, took / kSaveShare);
  if (asked_ns_ >= 0 && look.at_ns < asked_ns_ + to_ns(spacing)) return false;
  const bool higher_than_ever = look.used > look.shape.top * kHigher &&
                                look.used > asked_above_ * kHigher && look.used >= lines.freeze;
  return higher_than_ever ||
         (is_leak(look.shape, look.outlook) && reaches(lines.freeze, look.shape, look.outlook));
}

// Growth that will not end and is about to pass the limit; or, whatever it is, one that has used up
// what was lent. Spikes below the limit never are a reason.
bool Ladder::should_stop(const Look& look, const Lines& lines) const {
  if (!settings_.stop || look.used < lines.freeze) return false;
  if (look.used >= lines.last) return true;
  const double enough = lines.limit - uncovered_save(look.limits, look.outlook);
  return is_leak(look.shape, look.outlook) && reaches(enough, look.shape, look.outlook);
}

// One that could not save then goes on, and is asked again later.
bool Ladder::is_time_up(const Look& look) const {
  if (!settings_.chunk_seconds || look.ran_seconds < *settings_.chunk_seconds) return false;
  const bool just_asked =
      end_asked_ns_ >= 0 && look.at_ns < end_asked_ns_ + to_ns(settings_.ask_every_seconds);
  return may_ask(look) && !deaf_ && !just_asked;
}

Acts Ladder::ask(const Look& look, Act how) {
  Acts acts;
  if (look.means.freeze) acts.add(Act::Freeze);
  if (look.limits.lendable > 0 && !look.lent) acts.add(Act::Lend);
  if (look.means.freeze && how != Act::AskEnd) {
    auto seconds = evidence_for(look, kEvidenceEvery);
    if (how == Act::AskSave) {
      seconds = std::min(seconds, kEvidenceShare * look.ran_seconds - look.evidence_seconds);
      if (seconds < kLeastEvidence) seconds = 0;
    }
    add_evidence(acts, look, seconds);
  }
  acts.add(how);
  if (look.means.freeze) acts.add(Act::Thaw);
  asked_ns_ = look.at_ns;
  asked_above_ = std::max(asked_above_, look.used);
  for_time_ = how == Act::AskEnd;
  if (for_time_) end_asked_ns_ = look.at_ns;
  enter(how == Act::AskSave ? Phase::Saving : Phase::Stopping, look, settings_.save_seconds);
  return acts;
}

Acts Ladder::terminate(const Look& look) {
  Acts acts;
  const auto seconds = look.means.freeze ? evidence_for(look, kEvidenceEvery) : 0;
  if (seconds > 0) acts.add(Act::Freeze);
  if (look.limits.lendable > 0 && !look.lent) acts.add(Act::Lend);
  add_evidence(acts, look, seconds);
  acts.add(Act::Terminate);
  if (seconds > 0) acts.add(Act::Thaw);
  enter(Phase::Terminating, look, settings_.grace_seconds);
  return acts;
}

Acts Ladder::while_watching(const Look& look, const Lines& lines) {
  if (should_stop(look, lines)) {
    if (may_ask(look) && !deaf_) return ask(look, Act::AskStop);
    // Nobody to ask: who catches SIGTERM may be able to save.
    if (look.catches_term) return terminate(look);
  }
  if (is_time_up(look)) return ask(look, Act::AskEnd);
  Acts acts;
  if (should_ask(look, lines)) acts = ask(look, Act::AskSave);
  if (look.used >= lines.freeze) {
    if (phase_ == Phase::Watching && look.limits.lendable > 0 && !look.lent) acts.add(Act::Lend);
  } else if (look.lent && phase_ == Phase::Watching && look.used < lines.freeze * kClearly) {
    acts.add(Act::TakeBack);
  }
  return acts;
}

Acts Ladder::while_saving(const Look& look, const Lines& lines) {
  Acts acts;
  if (look.heard == Heard::Saved) {
    answered_seconds_ = static_cast<double>(look.at_ns - asked_ns_) / 1e9;
    acts.add(Act::TellSaved);
    phase_ = Phase::Watching;
  } else if (look.heard == Heard::NotSaved || is_late(look)) {
    deaf_ = look.heard != Heard::NotSaved;
    acts.add(Act::TellNotSaved);
    phase_ = Phase::Watching;
  } else if (look.heard != Heard::Saving && should_stop(look, lines)) {
    return ask(look, Act::AskStop);  // it has not begun: it may as well end with it
  } else if (look.used >= lines.freeze && look.limits.lendable > 0 && !look.lent) {
    acts.add(Act::Lend);
  }
  return acts;
}

Acts Ladder::while_stopping(const Look& look, const Lines& lines) {
  Acts acts;
  if (look.heard == Heard::Saved) {
    acts.add(Act::TellSaved);
    enter(Phase::Leaving, look, settings_.grace_seconds);
  } else if (look.heard == Heard::NotSaved || is_late(look)) {
    deaf_ = !for_time_;
    acts.add(Act::TellNotSaved);
    phase_ = Phase::Watching;
  } else if (look.used >= lines.freeze && look.limits.lendable > 0 && !look.lent) {
    acts.add(Act::Lend);
  }
  return acts;
}

// It has saved and was told to end; or it got SIGTERM.
Acts Ladder::while_leaving(const Look& look) {
  if (!is_late(look)) return {};
  if (phase_ == Phase::Leaving) return terminate(look);
  Acts acts;
  if (!settings_.kill || !look.means.kill) return acts;
  if (look.means.freeze || look.means.halt) acts.add(Act::Freeze);
  acts.add(Act::Kill);
  phase_ = Phase::Killed;
  return acts;
}

Resumption resumption_of(const Acts& acts, std::size_t done, bool asked) {
  const auto* const begin = acts.list.data();
  const auto* const end = begin + acts.count;
  const auto asks = [](Act act) {
    return act == Act::AskSave || act == Act::AskStop || act == Act::AskEnd;
  };
  // The one that matters; whatever comes beside it can be decided again.
  const auto* const main = std::find_if(
      begin, end, [&](Act act) { return asks(act) || act == Act::Terminate || act == Act::Kill; });
  Resumption resumption{.took_effect = done >= acts.count};
  if (main != end) {
    const bool is_done = done > static_cast<std::size_t>(main - begin);
    resumption.took_effect = is_done || (asks(*main) && asked);
    resumption.kill = !is_done && *main == Act::Kill;
  }
  if (!resumption.took_effect) return resumption;
  for (const auto* act = begin + std::min(done, acts.count); act != end; ++act) {
    if (*act == Act::TellNear) resumption.tell.add(*act);
  }
  return resumption;
}

}  // namespace tidegauge::guard
