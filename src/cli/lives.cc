// SPDX-License-Identifier: Apache-2.0
#include "cli/lives.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output_of.h"
#include "guard/plan.h"
#include "guard/post_mortem.h"
#include "proc/machine.h"
#include "secrets/mask.h"

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

// Those that leave nothing but a line in the journal. It takes a moment, and only who was killed by
// nobody that we know is looked for there.
void Life::look_for_other_killers(const Guarding& guarding) {
  constexpr double kMostSeconds = 3;
  const bool killed = culprit_ == guard::Culprit::Unknown ||
                      (culprit_ == guard::Culprit::Nobody && status_.signal == SIGTERM);
  if (!killed) return;
  // Anyone can write to the journal under any name (`logger -t earlyoom`), but only journald itself
  // says of which unit and user an entry is.
  const auto journal = output_of(
      {"/usr/bin/env", "journalctl", "--quiet", "--no-pager", "--output=cat",
       fmt::format("--since=@{}", guarding.began_at().tv_sec), "_SYSTEMD_UNIT=earlyoom.service",
       "+", "_SYSTEMD_UNIT=systemd-oomd.service", "+", "_UID=0", "SYSLOG_IDENTIFIER=earlyoom", "+",
       "_UID=0", "SYSLOG_IDENTIFIER=systemd-oomd"},
      kMostSeconds);
  if (journal) {
    const auto found = guard::killer_in(*journal, guarding.seen(), guarding.in_groups());
    if (found.killer == guard::Killer::Earlyoom) culprit_ = guard::Culprit::Earlyoom;
    if (found.killer == guard::Killer::Oomd) culprit_ = guard::Culprit::Oomd;
    line_ = printable(secrets::masked_text(found.line));
  }
  if (!line_.empty()) return;
  const auto running = guard::killers_running(proc::Roots{});
  if (!running.empty()) line_ = fmt::format("{} runs here", fmt::join(running, " and "));
}

std::string Life::how() const {
  return guard::words_of(culprit_, status_) + (line_.empty() ? "" : " (" + line_ + ")");
}

void Life::end(const guard::Job& job, Guarding& guarding, Session* session) {
  const auto status = *job.status();
  ending_ = guarding.finish(session);
  culprit_ = guard::culprit_of(*ending_, status);
  status_ = status;
  // Lightning leaves with 0 after SIGTERM, which looks as if all had been done.
  if (culprit_ == guard::Culprit::Itself && job.was_told_to_end()) {
    culprit_ = guard::Culprit::Outside;
  }
  look_for_other_killers(guarding);
  last_ = guarding.last_whole();
  bytes_per_minute_ = guarding.bytes_per_minute();
  seconds_ = static_cast<double>(now_ns() - began_ns_) / 1e9;
  if (ended_for_memory() || status.signal == SIGKILL) guarding.clean(session);
  if (session == nullptr) return;
  session->add(
      {.at_ns = session->now_ns(),
       .kind = record::EventKind::Note,
       .source = record::MarkSource::Kernel,
       .name = fmt::format("guard: end of the job: {}, at most {}{}", how(),
                           format_bytes(ending_->peak_bytes),
                           ending_->limit_bytes > 0 ? " of " + format_bytes(ending_->limit_bytes)
                                                    : std::string())});
}

bool Life::ended_for_memory() const {
  using guard::Culprit;
  constexpr std::array kForMemory = {Culprit::Us,       Culprit::OwnLimit, Culprit::LimitAbove,
                                     Culprit::Machine,  Culprit::Kernel,   Culprit::PerhapsKernel,
                                     Culprit::Earlyoom, Culprit::Oomd};
  return ending_ && std::find(kForMemory.begin(), kForMemory.end(), culprit_) != kForMemory.end();
}

std::string Life::words() const {
  const auto& end = *ending_;
  auto text = fmt::format("guard      {}; at most {}", how(), format_bytes(end.peak_bytes));
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
  const bool for_time = life.stopped_for_time();
  if (!for_time && (options_.restarts == 0 || !life.ended_for_memory())) return false;
  const auto no = [](const std::string& why) {
    fail("guard", kCouldNotLook, "not started again: " + why);
    return false;
  };
  const auto& last = life.last_whole().path.empty() ? from_ : life.last_whole();
  if (last.path.empty()) return no("there is no whole checkpoint to go on from");
  if (!for_time && for_memory_ >= options_.restarts) {
    return no(fmt::format("that was life {}", count_));
  }
  if (last.path == from_.path && last.step == from_.step) return no("it came no further");
  from_ = last;
  const auto growth =
      life.bytes_per_minute() > 0
          ? fmt::format(", growing by {} a minute", format_bytes(life.bytes_per_minute()))
          : std::string();
  fail("guard", kNothingWrong,
       fmt::format("life {} used {} at most in {}{}; the next goes on from {}", count_,
                   format_bytes(life.peak_bytes()), format_duration(life.seconds()), growth,
                   printable(from_.path)));
  if (!for_time && life.seconds() < kShortLifeSeconds) {
    sleep_for(std::min(pause_after(for_memory_ + 1), life.seconds()));
  }
  for_memory_ += for_time ? 0 : 1;
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
                     .halt = !cell.can_freeze(),
                     .limit = cell.can_limit(),
                     .kill = true,
                     .asked = true};
  situation.used = now.used;
  situation.limits.bytes = now.used + now.room;
  situation.limit_kind = own > 0 ? "given" : meter->has_limit_above() ? "cgroup" : "ram";
  if (own > 0) {
    situation.limits.lendable =
        guard::lendable_of(own, now.machine_total, now.machine_available, options.settings);
  }
  put_words(stdout, to_text(situation, plan(situation, options.settings)));
  for (const auto& missing : cell.missing()) put(stdout, "  ! " + missing + "\n");
  return kNothingWrong;
}

}  // namespace tidegauge::cli
