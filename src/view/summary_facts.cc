// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/units.h"
#include "record/names.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

using record::Role;

constexpr std::size_t kGroupFrom = 2;  // workers are told together from this many on
constexpr std::size_t kNameColumns = 48;
constexpr std::size_t kCommandColumns = 200;

// The job, then who started it, then the rest by what they hold.
int order(const ProcessAccount& account) {
  if (account.known.role == Role::Main) return 0;
  return account.known.role == Role::Wrapper ? 1 : 2;
}

}  // namespace

bool told_together(const Accounts& accounts, Role role) {
  return (role == Role::CompileWorker || role == Role::LoaderWorker) &&
         accounts.role(role).most >= kGroupFrom;
}

std::vector<const ProcessAccount*> listed_processes(const Accounts& accounts, std::size_t most) {
  std::vector<const ProcessAccount*> out;
  for (const auto& [id, account] : accounts.processes) {
    if (account.tally(Part::Total).count() == 0 || told_together(accounts, account.known.role)) {
      continue;
    }
    out.push_back(&account);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto* a, const auto* b) {
    if (order(*a) != order(*b)) return order(*a) < order(*b);
    return a->tally(Part::Total).max() > b->tally(Part::Total).max();
  });
  if (out.size() > most) out.resize(most);
  return out;
}

std::string sites_heading(const Accounts& accounts, const Sites::OfProcess& of) {
  const auto found = accounts.processes.find(of.process);
  auto name = found == accounts.processes.end() ? "" : shown(job_name(found->second.known), 40);
  if (name.empty()) name = fmt::format("process {}", of.process.pid);
  const auto moment = [&](const record::Profile& profile) {
    const double at = seconds_of(profile.at_ns);
    return accounts.header.clock == record::Clock::Steps ? fmt::format("step {:.0f}", at)
                                                         : format_duration(at - accounts.first_at);
  };
  if (of.kept.size() < 2) {
    return fmt::format("Where {} allocates, at {}", name, moment(of.kept.back()));
  }
  return fmt::format("Where {} allocates, and what grew from {} to {}", name,
                     moment(of.kept.front()), moment(of.kept.back()));
}

std::vector<std::string> group_sentences(const Accounts& accounts) {
  std::vector<std::string> out;
  for (const auto role : {Role::CompileWorker, Role::LoaderWorker}) {
    if (!told_together(accounts, role)) continue;
    const auto& group = accounts.role(role);
    const auto& tally = group.together;
    if (tally.constant()) {
      out.push_back(fmt::format("{}: {} together, constant.", role_count(role, group.most),
                                size_or_dash(tally.average())));
    } else {
      out.push_back(fmt::format("{}: {} together ({} to {}), grew {}.",
                                role_count(role, group.most), size_or_dash(tally.floor()),
                                size_or_dash(tally.min()), size_or_dash(tally.max()),
                                growth_of(tally)));
    }
  }
  return out;
}

std::string gone_sentence(const Accounts& accounts) {
  Folded all;
  for (std::size_t i = 0; i < accounts.folded.size(); ++i) {
    if (told_together(accounts, static_cast<Role>(i))) continue;  // their sentence counts them
    all.count += accounts.folded[i].count;
    all.largest = std::max(all.largest, accounts.folded[i].largest);
  }
  if (all.count == 0) return "";
  const auto count =
      fmt::format("{} more process{} came and went", all.count, all.count == 1 ? "" : "es");
  if (!(all.largest > 0)) return count + ".";
  return fmt::format("{}; the largest held {}.", count, size_or_dash(all.largest));
}

std::string seen_phrase(const Accounts& accounts) {
  std::string out;
  const bool by_steps = accounts.header.clock == record::Clock::Steps;
  const auto took = duration_phrase(accounts.last_at - accounts.first_at);
  if (!by_steps && took) out = *took;
  const auto& progress = accounts.progress;
  const auto step = by_steps ? step_phrase(accounts.last_at) : step_phrase(progress.step());
  if (step) out += (out.empty() ? "" : ", ") + ("up to " + *step);
  return out + fmt::format("{}{} sample{}", out.empty() ? "" : ", ", accounts.samples,
                           accounts.samples == 1 ? "" : "s");
}

std::vector<Fact> limit_facts(const Accounts& accounts) {
  std::vector<Fact> out;
  if (const auto& group = accounts.cgroup; group && group->limit) {
    const auto limit = size_or_dash(static_cast<double>(*group->limit));
    if (const auto& most = accounts.cgroup_most) {
      out.push_back({"cgroup limit", limit,
                     fmt::format("most charged {}", size_or_dash(static_cast<double>(*most)))});
    } else {
      out.push_back({"limit in the file", limit, ""});
    }
  }
  const auto& machine = accounts.machine;
  if (machine.total) {
    std::string detail;
    if (accounts.least_available) {
      detail = fmt::format("least available {}",
                           size_or_dash(static_cast<double>(*accounts.least_available)));
    }
    out.push_back({"RAM", size_or_dash(static_cast<double>(*machine.total)), detail});
  }
  if (machine.dev_shm_total && machine.dev_shm_used.value_or(0) > 0) {
    out.push_back(
        {"/dev/shm", size_or_dash(static_cast<double>(*machine.dev_shm_total)),
         fmt::format("used {}", size_or_dash(static_cast<double>(*machine.dev_shm_used)))});
  }
  return out;
}

std::vector<Fact> how_measured(const Accounts& accounts, const std::string& recording) {
  const auto& header = accounts.header;
  const auto& progress = accounts.progress;
  std::vector<Fact> out;
  const auto item = [&out](const char* label, std::string text, const char* id = "") {
    if (!text.empty()) out.push_back({label, std::move(text), "", id});
  };
  item("Command", shown(header.command, kCommandColumns), "code");
  item("Host", shown(header.host, kNameColumns));
  item("Seen", seen_phrase(accounts));
  if (header.clock == record::Clock::Seconds) {
    item("Looked every", duration_phrase(header.interval_seconds).value_or(""));
  }
  item("Page tables walked", fmt::format("{} times", accounts.walks));
  if (progress.step()) item("Steps told by", record::id_of(progress.step_source()));
  if (progress.lost_marks() > 0) item("Marks lost", std::to_string(progress.lost_marks()));
  if (progress.gaps() > 0) item("Gaps without samples", std::to_string(progress.gaps()));
  for (auto& fact : limit_facts(accounts)) out.push_back(std::move(fact));
  item("Recording", shown(recording, kCommandColumns), "code");
  item("Written by", shown(header.tool, kNameColumns));
  return out;
}

}  // namespace tidegauge::view
