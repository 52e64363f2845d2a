// SPDX-License-Identifier: Apache-2.0
#include "cli/lives.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <csignal>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "guard/plan.h"
#include "proc/machine.h"

namespace tidegauge::cli {

namespace {

// A life that is shorter is waited after, longer each time, but not longer than it was itself.
constexpr double kShortLifeSeconds = 60;
constexpr double kFirstPauseSeconds = 0.5;
constexpr double kLongestPauseSeconds = 60;

double pause_after(int lives) {
  double pause = kFirstPauseSeconds;
  for (int i = 1; i < lives && pause < kLongestPauseSeconds; ++i) pause *= 2;
  return std::min(pause, kLongestPauseSeconds);
}

void sleep_for(double seconds) {
  timespec left{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  ::nanosleep(&left, nullptr);
}

}  // namespace

std::int64_t Life::now_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}

void Life::end(const guard::Status& status, Guarding& guarding, Session* session) {
  ending_ = guarding.finish(session);
  culprit_ = guard::culprit_of(*ending_, status);
  status_ = status;
  last_ = guarding.last_whole();
  seconds_ = static_cast<double>(now_ns() - began_ns_) / 1e9;
  if (ended_for_memory() || status.signal == SIGKILL) guarding.clean(session);
  if (session == nullptr) return;
  session->add({.at_ns = session->now_ns(),
                .kind = record::EventKind::Note,
                .source = record::MarkSource::Kernel,
                .name = "guard: end of the job: " + guard::words_of(culprit_, status)});
}

bool Life::ended_for_memory() const {
  using guard::Culprit;
  return ending_ && (culprit_ == Culprit::Us || culprit_ == Culprit::OwnLimit ||
                     culprit_ == Culprit::LimitAbove || culprit_ == Culprit::Machine);
}

std::string Life::words() const {
  const auto& end = *ending_;
  auto text = fmt::format("guard      {}; at most {}", guard::words_of(culprit_, status_),
                          format_bytes(end.peak_bytes));
  if (end.limit_bytes > 0) text += " of " + format_bytes(end.limit_bytes);
  if (end.asks > 0) text += fmt::format("; {} checkpoints asked for", end.asks);
  if (end.freezes > 0) {
    text += fmt::format("; frozen {} times, {:.1f} ms at most", end.freezes,
                        end.longest_freeze_seconds * 1e3);
  }
  if (end.kills > 0) text += fmt::format("; {} processes killed by the kernel", end.kills);
  if (end.lent_bytes > 0) text += "; lent " + format_bytes(end.lent_bytes);
  text += "\n";
  if (!last_.path.empty()) text += "checkpoint " + printable(last_.path) + "\n";
  return text;
}

bool Lives::goes_on(const Life& life) {
  if (options_.restarts == 0 || !life.ended_for_memory()) return false;
  const auto no = [](const std::string& why) {
    fail("guard", kCouldNotLook, "not started again: " + why);
    return false;
  };
  const auto& last = life.last_whole().path.empty() ? from_ : life.last_whole();
  if (last.path.empty()) return no("there is no whole checkpoint to go on from");
  if (count_ > options_.restarts) return no(fmt::format("that was life {}", count_));
  if (last.path == from_.path && last.step == from_.step) return no("it came no further");
  from_ = last;
  fail("guard", kNothingWrong,
       fmt::format("life {} used {} at most in {}; the next goes on from {}", count_,
                   format_bytes(life.peak_bytes()), format_duration(life.seconds()),
                   printable(from_.path)));
  if (life.seconds() < kShortLifeSeconds) sleep_for(std::min(pause_after(count_), life.seconds()));
  ++count_;
  return true;
}

std::string quoted_for_shell(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> Lives::next_command(const std::vector<std::string>& command) const {
  if (options_.resume_with.empty()) return command;
  auto text = options_.resume_with;
  constexpr std::string_view kPlace = "{checkpoint}";
  const auto path = quoted_for_shell(from_.path);
  for (auto at = text.find(kPlace); at != text.npos; at = text.find(kPlace, at + path.size())) {
    text.replace(at, kPlace.size(), path);
  }
  return {"/bin/sh", "-c", text};
}

int print_plan(const GuardOptions& options, std::optional<double> limit_bytes) {
  const auto cell = guard::Cell::make(proc::Roots{}, limit_bytes.value_or(0));
  const auto meter =
      guard::Meter::open(proc::Roots{}, cell.memory_folders(), cell.memory_version());
  if (!meter) return fail("run", kCouldNotLook, meter.error().what);
  const double own = cell.can_limit() ? limit_bytes.value_or(0) : 0;
  const auto now = meter->read(own);
  guard::Situation situation;
  situation.means = {.freeze = cell.can_freeze(),
                     .limit = cell.can_limit(),
                     .kill = cell.can_kill(),
                     .asked = true};
  situation.used = now.used;
  situation.limits.bytes = now.used + now.room;
  situation.limit_kind = own > 0 ? "given" : meter->has_limit_above() ? "cgroup" : "ram";
  if (own > 0) {
    situation.limits.lendable =
        guard::lendable_of(own, now.machine_total, now.machine_available, options.settings);
  }
  put(stdout, to_text(situation, plan(situation, options.settings)));
  for (const auto& missing : cell.missing()) put(stdout, "  ! " + missing + "\n");
  return kNothingWrong;
}

}  // namespace tidegauge::cli
