// SPDX-License-Identifier: Apache-2.0
#include "cli/cause_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/holder_line.h"
#include "proc/examine.h"
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

double growth_of(const verdict::Verdict& verdict) {
  return verdict.last_bytes - verdict.first_bytes;
}

bool has_room(const Session& session, const verdict::Verdict& verdict) {
  if (verdict.limit_bytes && verdict.last_bytes > (1 - kRoomNeeded) * *verdict.limit_bytes) {
    return false;
  }
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
  for (const auto& verdict : session.verdicts().all) {
    const auto& process = verdict.subject.process;
    if (!process) continue;
    const auto refused = refused_.find(*process);
    if (refused != refused_.end() && refused->second >= kMostRefusals) continue;
    if (verdict.subject.kind == verdict::Kind::Gpu || session.who_is(process->pid) != *process)
      continue;
    if (growth_of(verdict) < std::max(kGrowthWorthALook, kShareWorthALook * verdict.last_bytes))
      continue;
    if (most == nullptr || growth_of(verdict) > growth_of(*most)) most = &verdict;
  }
  return most;
}

bool CauseFinder::is_time(const Session& session, const verdict::Verdict& grower) const {
  if (!asked_ || asked_->process != *grower.subject.process) return true;
  const double since = static_cast<double>(session.now_ns() - asked_->at_ns) / kNsPerSecond;
  if (since < soonest_seconds_) return false;
  if (refused_.contains(asked_->process)) return true;
  const double grown = grower.last_bytes - asked_->bytes;
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
  asked_ = {*grower->subject.process, session.now_ns(), grower->last_bytes, grower->klass};
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
    soonest_seconds_ = kAfterARefusalSeconds;
    const auto& processes = session.summary().accounts().processes;
    const auto found = processes.find(asked_->process);
    if (answer.denied && note_.empty() && found != processes.end() &&
        seems_to_be_python(found->second.known)) {
      note_ = not_let_in(asked_->process.pid);
    }
    return;
  }
  refused_.erase(asked_->process);
  soonest_seconds_ = std::max(
      {kSoonestSeconds, answer.pause_ms / 1e3 / kShareOfTime, answer.cpu_seconds / kShareOfACore});
  for (const auto& holder : answer.holders) {
    session.add(held(holder, asked_->process, asked_->at_ns));
  }
}

}  // namespace tidegauge::cli
