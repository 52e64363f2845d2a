// SPDX-License-Identifier: Apache-2.0
#include "guard/post_mortem.h"

#include <sys/xattr.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "proc/cgroup_place.h"
#include "proc/root.h"
#include "proc/stat.h"

namespace tidegauge::guard {

namespace {

constexpr std::array<std::string_view, 4> kKillers = {"earlyoom", "systemd-oomd", "nohang", "oomd"};

// 'sending SIGTERM to process 4711 uid 1000 "python": badness 812, VmRSS 3012 MiB'
bool is_sent_to(std::string_view line, const std::set<pid_t>& pids) {
  constexpr std::string_view kTo = " to process ";
  const auto at = line.find(kTo);
  if (!line.starts_with("sending SIG") || at == line.npos) return false;
  auto rest = line.substr(at + kTo.size());
  const auto pid = to_number<pid_t>(next_word(rest));
  return pid && pids.contains(*pid);
}

bool lies_in(std::string_view path, std::string_view group) {
  if (group.empty() || group == "/") return false;
  return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
}

// 'Killed /user.slice/…/app.scope due to memory pressure for /user.slice being 80% > 50% for > 20s'
bool is_killed_group(std::string_view line, const std::vector<std::string>& groups) {
  constexpr std::string_view kKilled = "Killed ";
  constexpr std::string_view kWhy = " due to memory ";
  const auto why = line.find(kWhy);
  if (!line.starts_with(kKilled) || why == line.npos) return false;
  const auto group = line.substr(kKilled.size(), why - kKilled.size());
  return std::any_of(groups.begin(), groups.end(),
                     [group](const std::string& path) { return lies_in(path, group); });
}

enum class Sign : std::uint8_t { No, Yes, NotKnown };

Sign moved(std::int64_t before, std::int64_t after) {
  if (before < 0 || after < 0) return Sign::NotKnown;
  return after > before ? Sign::Yes : Sign::No;
}

}  // namespace

KillCause cause_of(const KillCounts& before, const KillCounts& after, bool hidden_above) {
  const auto own = moved(before.hits_own, after.hits_own);
  const auto above = moved(before.hits_above, after.hits_above);
  const auto machine = moved(before.stalls, after.stalls);
  const int hit = (own == Sign::Yes ? 1 : 0) + (above == Sign::Yes ? 1 : 0);
  // A group full of page cache hits its limit all the time: that excludes nobody else.
  if (hit > 1 || (hit == 1 && machine == Sign::Yes)) return KillCause::Unknown;
  if (own == Sign::Yes) return KillCause::OwnLimit;
  if (above == Sign::Yes) return KillCause::LimitAbove;
  if (own == Sign::NotKnown || machine == Sign::NotKnown) return KillCause::Unknown;
  const bool perhaps_above = above == Sign::NotKnown || hidden_above;
  if (machine == Sign::Yes) return perhaps_above ? KillCause::Unknown : KillCause::Machine;
  return perhaps_above ? KillCause::LimitAbove : KillCause::Unknown;
}

void KillWatch::look(const KillCounts& counts) {
  if (!begun_) before_last_ = last_ = counts;
  begun_ = true;
  const bool killed = last_.own >= 0 && counts.own > last_.own;
  if (killed) cause_ = cause_of(before_last_, counts, hidden_above_);
  before_last_ = last_;
  last_ = counts;
}

Accused killer_in(std::string_view journal, const std::set<pid_t>& pids,
                  const std::vector<std::string>& groups) {
  while (!journal.empty()) {
    const auto line = trimmed(next_line(journal));
    if (is_sent_to(line, pids)) return {Killer::Earlyoom, std::string(line)};
    if (is_killed_group(line, groups)) return {Killer::Oomd, std::string(line)};
  }
  return {};
}

std::int64_t oomd_kills(const std::vector<std::string>& folders) {
  std::int64_t all = -1;
  for (const auto& folder : folders) {
    std::array<char, 32> text{};
    const auto got = ::getxattr(folder.c_str(), "user.oomd_kill", text.data(), text.size());
    const auto count = got > 0 ? to_number<std::int64_t>(trimmed(
                                     std::string_view(text.data(), static_cast<std::size_t>(got))))
                               : std::nullopt;
    if (count) all = std::max<std::int64_t>(all, 0) + *count;
  }
  return all;
}

std::vector<std::string> killers_running(const proc::Roots& roots) {
  std::vector<std::string> running;
  const auto root = proc::Root::open(roots.proc);
  const auto pids = root ? root->pids() : Result<std::vector<pid_t>>(root.error());
  for (const auto pid : pids ? *pids : std::vector<pid_t>{}) {
    const auto stat = proc::read_stat(*root, pid);
    if (!stat || std::find(kKillers.begin(), kKillers.end(), stat->name) == kKillers.end())
      continue;
    if (std::find(running.begin(), running.end(), stat->name) == running.end()) {
      running.push_back(stat->name);
    }
  }
  return running;
}

std::vector<std::string> groups_of(const proc::Roots& roots, pid_t pid) {
  std::vector<std::string> groups;
  const auto root = proc::Root::open(roots.proc);
  const auto text = root ? root->read(pid, "cgroup") : Result<std::string>(root.error());
  if (!text) return groups;
  for (const auto& membership : proc::parse_memberships(*text)) groups.push_back(membership.path);
  return groups;
}

}  // namespace tidegauge::guard
