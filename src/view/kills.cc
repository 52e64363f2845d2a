// SPDX-License-Identifier: Apache-2.0
#include "view/kills.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "view/phrases.h"
#include "view/short_words.h"

namespace tidegauge::view {

namespace {

constexpr std::size_t kNameColumns = 40;
// An exit may be found one look before or after the kill was counted.
constexpr double kLooksApart = 1.5;
constexpr double kSameMoment = 0.05;  // seconds

// Who ended when the kernel killed. What had started the job ends after it, and is not asked for.
std::vector<const ProcessAccount*> who_ended(const Accounts& accounts, const Kill& kill) {
  std::vector<const ProcessAccount*> out;
  const double near = kLooksApart * accounts.header.interval_seconds;
  for (const auto& [id, account] : accounts.processes) {
    if (!account.gone || account.known.role == record::Role::Wrapper) continue;
    if (std::fabs(account.gone_at - kill.at) <= near) out.push_back(&account);
  }
  return out;
}

std::string victim_phrase(const Accounts& accounts, const Kill& kill) {
  const auto ended = who_ended(accounts, kill);
  if (ended.size() == 1) {
    const auto& known = ended.front()->known;
    const auto name = shown(job_name(known), kNameColumns);
    return fmt::format("{} (pid {})", name.empty() ? "a process" : name, known.id.pid);
  }
  return job_was_killed(accounts) ? "a process of the job" : "a process in the job's cgroup";
}

// The limit that was reached: of the cgroup and the machine the one that had less left.
std::string limit_reached(const Accounts& accounts) {
  const auto& group = accounts.cgroup;
  if (!group || !group->limit) return "";
  const auto limit = *group->limit;
  const auto left = limit - std::min(limit, accounts.cgroup_most);
  if (accounts.least_available && *accounts.least_available < left) return " on this machine";
  return fmt::format(" under the cgroup limit of {}", size_or_dash(static_cast<double>(limit)));
}

std::string when_phrase(double seconds, Tense tense) {
  const bool over = tense == Tense::Over;
  const auto time = seconds >= kSameMoment ? duration_phrase(seconds) : Phrase{};
  if (!time) return over ? "at the end" : "just now";
  return *time + (over ? " before the end" : " ago");
}

}  // namespace

bool job_was_killed(const Accounts& accounts) {
  const auto& kill = accounts.progress.last_kill();
  if (!kill) return false;
  return accounts.alone_in_its_group || !who_ended(accounts, *kill).empty();
}

std::string kill_sentence(const Accounts& accounts, Tense tense) {
  const auto& kill = accounts.progress.last_kill();
  if (!kill) return "";
  const auto times = kill->times > 1 ? fmt::format(" ({} times so far)", kill->times) : "";
  return fmt::format("The kernel killed {}: out of memory{}, {}{}.", victim_phrase(accounts, *kill),
                     limit_reached(accounts), when_phrase(accounts.last_at - kill->at, tense),
                     times);
}

}  // namespace tidegauge::view
