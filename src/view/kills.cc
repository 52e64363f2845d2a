// SPDX-License-Identifier: Apache-2.0
#include "view/kills.h"

#include <fmt/format.h>

#include "view/phrases.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kGroupColumns = 80;
constexpr double kSameMoment = 0.05;  // seconds

bool is_known(const Kill& kill) {
  return kill.fitting == 1;
}

std::string victim_phrase(const Kill& kill, bool of_job) {
  if (is_known(kill)) {
    const auto& name = kill.victim.name;
    return fmt::format("{} (pid {})", name.empty() ? "a process" : name, kill.victim.pid);
  }
  if (of_job) return "a process of the job";
  if (kill.own_group) return "a process in the job's cgroup";
  return fmt::format("a process in cgroup {}, above the job's", shown(kill.group, kGroupColumns));
}

std::string ran_out_phrase(const Kill& kill) {
  if (!kill.ran_out) return "";
  const auto& limit = kill.ran_out->limit_bytes;
  if (!limit) return " on this machine";
  return fmt::format(" under the cgroup limit of {}", size_or_dash(static_cast<double>(*limit)));
}

std::string when_phrase(double seconds, Tense tense) {
  const bool over = tense == Tense::Over;
  const auto time = seconds >= kSameMoment ? duration_phrase(seconds) : Phrase{};
  if (!time) return over ? "at the end" : "just now";
  return *time + (over ? " before the end" : " ago");
}

}  // namespace

bool job_was_killed(const Accounts& accounts) {
  return accounts.oom_kills.of_job().has_value();
}

std::optional<Killed> killed(const Accounts& accounts, Tense tense) {
  const bool of_job = job_was_killed(accounts);
  const auto& kill = of_job ? accounts.oom_kills.of_job() : accounts.oom_kills.of_others();
  if (!kill) return {};
  const auto times = kill->times > 1 ? fmt::format(" ({} times{})", kill->times,
                                                   tense == Tense::Over ? "" : " so far")
                                     : "";
  Killed out{.words = fmt::format("The kernel killed {}: out of memory{}, {}{}.",
                                  victim_phrase(*kill, of_job), ran_out_phrase(*kill),
                                  when_phrase(accounts.last_at - kill->at, tense), times),
             .of_job = of_job,
             .at = kill->at,
             .times = kill->times,
             .cgroup = kill->group};
  if (is_known(*kill)) {
    out.pid = kill->victim.pid;
    out.name = kill->victim.name;
  }
  if (kill->ran_out) out.limit_bytes = kill->ran_out->limit_bytes;
  return out;
}

std::string kill_sentence(const Accounts& accounts, Tense tense) {
  const auto found = killed(accounts, tense);
  return found ? found->words : "";
}

}  // namespace tidegauge::view
