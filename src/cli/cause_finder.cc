// SPDX-License-Identifier: Apache-2.0
#include "cli/cause_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/holder_line.h"
#include "proc/examine.h"
#include "verdict/members.h"
#include "view/accounts.h"

namespace tidegauge::cli {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMiB = 1 << 20;
constexpr double kGrowthWorthALook = 64 * kMiB;
constexpr double kShareWorthALook = 0.2;  // of what the process holds
constexpr double kShareOfTime = 0.01;     // that the job may stand still for censuses
constexpr double kShareOfACore = 0.1;     // that taking them may cost, at low priority
constexpr double kSoonestSeconds = 10;
// One that has doubled since may not live to see the next: it can do so only a few times.
constexpr double kDoubled = 2;
constexpr double kShareOfACoreDoubled = 0.3;
constexpr double kSoonestDoubledSeconds = 5;
// A process may be in the middle of an import, or have a thread that would not stop just then.
constexpr int kMostRefusals = 3;
constexpr double kAfterARefusalSeconds = 3;
// Grown by so much, and by this share of what it held: look again. A leak that began under a large
// warm-up is found by what has grown since, so there the share does not matter.
constexpr double kGrownSinceLast = 32 * kMiB;
constexpr double kShareGrownSinceLast = 0.05;
constexpr double kRoomNeeded = 0.1;  // of the limit: a copy may cost what the job writes meanwhile
constexpr double kLastWordSeconds = 5;
constexpr double kListenEverySeconds = 0.2;
constexpr double kMostSilenceSeconds = 10;

// What the verdict is of, as of the last look: verdicts of single processes are made rarely.
double bytes_now(const Session& session, const verdict::Verdict& verdict) {
  for (const auto& process : session.sample().processes) {
    if (process.id != verdict.subject.process) continue;
    const auto bytes = verdict::bytes_of(process.memory, verdict.subject.kind);
    return bytes ? static_cast<double>(*bytes) : verdict.last_bytes;
  }
  return verdict.last_bytes;
}

bool has_room(const Session& session, const verdict::Verdict& verdict) {
  const double held = bytes_now(session, verdict);
  if (verdict.limit_bytes && held > (1 - kRoomNeeded) * *verdict.limit_bytes) return false;
  const auto& machine = session.sample().machine;
  if (!machine || !machine->available || !machine->total) return true;
  return static_cast<double>(*machine->available) >
         kRoomNeeded * static_cast<double>(*machine->total);
}

// Of other programs there is no census, so that nobody is to be told how to get one.
bool seems_to_be_python(const record::Process& known) {
  return lower(known.name + " " + known.command).find("python") != std::string::npos;
}

std::string not_let_in(pid_t pid) {
  const auto refusal = proc::refusal_of_memory({});
  return fmt::format(
      "not looked for: process {} may not be read{}; {}, or start the job "
      "with tidegauge run",
      pid, refusal.why.empty() ? "" : " (" + refusal.why + ")", refusal.advice);
}

}  // namespace

// The process that has grown most, where that is much.
const verdict::Verdict* CauseFinder::worth_a_look(const Session& session) const {
  const verdict::Verdict* most = nullptr;
  double most_grown = 0;
  for (const auto& verdict : session.verdicts().all) {
    const auto& process = verdict.subject.process;
    if (!process) continue;
    const auto refused = refused_.find(*process);
    if (refused != refused_.end() && refused->second >= kMostRefusals) continue;
    if (verdict.subject.kind == verdict::Kind::Gpu || session.who_is(process->pid) != *process)
      continue;
    const double held = bytes_now(session, verdict);
    const double grown = held - verdict.first_bytes;
    if (grown < std::max(kGrowthWorthALook, kShareWorthALook * held) || grown <= most_grown)
      continue;
    most = &verdict;
    most_grown = grown;
  }
  return most;
}

bool CauseFinder::is_time(const Session& session, const verdict::Verdict& grower) const {
  if (!asked_ || asked_->process != *grower.subject.process) return true;
  const double since = static_cast<double>(session.now_ns() - asked_->at_ns) / kNsPerSecond;
  const double held = bytes_now(session, grower);
  const bool doubled = held >= kDoubled * asked_->bytes;
  if (since < (doubled ? soonest_doubled_seconds_ : soonest_seconds_)) return false;
  if (refused_.contains(asked_->process)) return true;
  const double grown = held - asked_->bytes;
  if (grower.klass != asked_->klass) return true;
  if (grower.klass == verdict::Class::Leak) return grown > kGrownSinceLast;
  return grown > std::max(kGrownSinceLast, kShareGrownSinceLast * asked_->bytes);
}

void CauseFinder::after_look(Session& session) {
  if (!server_) return;
  while (const auto answer = server_->take(0)) hear(session, *answer);
  listen(session);
  if (server_->busy()) return;
  const auto* const grower = worth_a_look(session);
  if (grower == nullptr || !is_time(session, *grower) || !has_room(session, *grower)) return;
  asked_ = {*grower->subject.process, session.now_ns(), bytes_now(session, *grower), grower->klass};
  server_->ask(asked_->process.pid);
}

void CauseFinder::finish(Session& session) {
  while (server_ && server_->busy()) {
    const auto answer = server_->take(kLastWordSeconds);
    if (!answer) return;
    hear(session, *answer);
  }
}

// Of several ranks one is enough: they step together. A job without a trainer that we know is asked
// less and less often.
void CauseFinder::listen(const Session& session) {
  if (steps_ != Steps::ReadFromOutside || server_->is_asked_for_training()) return;
  const double since = static_cast<double>(session.now_ns() - listened_ns_) / kNsPerSecond;
  if (since < std::clamp(silent_looks_, kListenEverySeconds, kMostSilenceSeconds)) return;
  for (const auto& [id, account] : session.summary().accounts().processes) {
    if (account.gone || account.known.role != record::Role::Main) continue;
    if (!seems_to_be_python(account.known)) continue;
    trainer_ = id;
    listened_ns_ = session.now_ns();
    return server_->ask_training(id.pid);
  }
}

void CauseFinder::hear(Session& session, const CensusServer::Answer& answer) {
  if (answer.to == CensusServer::Answer::To::Training) return hear_training(session, answer);
  hear_census(session, answer);
}

void CauseFinder::hear_training(Session& session, const CensusServer::Answer& answer) {
  silent_looks_ = answer.training ? 0 : silent_looks_ + 1;
  if (!answer.training) return;
  for (const auto& mark : training_.hear(trainer_, listened_ns_, *answer.training)) {
    session.add(mark);
  }
}

void CauseFinder::hear_census(Session& session, const CensusServer::Answer& answer) {
  if (!asked_) return;  // the server is gone, and had been asked for something else
  if (!answer.taken) {
    ++refused_[asked_->process];
    soonest_seconds_ = soonest_doubled_seconds_ = kAfterARefusalSeconds;
    const auto& processes = session.summary().accounts().processes;
    const auto found = processes.find(asked_->process);
    if (answer.denied && note_.empty() && found != processes.end() &&
        seems_to_be_python(found->second.known)) {
      note_ = not_let_in(asked_->process.pid);
    }
    return;
  }
  refused_.erase(asked_->process);
  const double for_the_pause = answer.pause_ms / 1e3 / kShareOfTime;
  soonest_seconds_ = std::max({kSoonestSeconds, for_the_pause, answer.cpu_seconds / kShareOfACore});
  soonest_doubled_seconds_ =
      std::max({kSoonestDoubledSeconds, for_the_pause, answer.cpu_seconds / kShareOfACoreDoubled});
  for (const auto& holder : answer.holders) {
    session.add(held(holder, asked_->process, asked_->at_ns));
  }
}

}  // namespace tidegauge::cli
