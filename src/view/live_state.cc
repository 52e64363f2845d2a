// SPDX-License-Identifier: Apache-2.0
#include "view/live_state.h"

#include <algorithm>
#include <cmath>

#include "view/kills.h"
#include "view/short_words.h"
#include "view/summary_text.h"

namespace tidegauge::view {

namespace {

using record::Role;

constexpr std::size_t kMostRows = 64;

Words first_words() {
  return {.tone = Tone::Wait,
          .tag = "Looking",
          .note = "The first verdict comes in a moment.",
          .headline = "Too early to say anything.",
          .lead = "",
          .facts = {}};
}

ProcessRow process_row(const ProcessAccount& account, const verdict::Verdicts& verdicts) {
  const auto& total = account.tally(Part::Total);
  ProcessRow row{.id = account.known.id,
                 .name = job_name(account.known),
                 .role = account.known.role,
                 .now = total.last(),
                 .floor = total.floor(),
                 .grown = total.growth()};
  if (const auto* verdict = verdict_on(verdicts, account.known.id)) {
    row.verdict = short_verdict(*verdict);
    if (std::isfinite(verdict->floor_bytes) && verdict->subject.kind == verdict::Kind::Total) {
      row.floor = verdict->floor_bytes;  // it knows better than a tally
    }
    if (verdict->bytes_per_step) row.per_step = verdict->bytes_per_step->value;
    if (verdict->bytes_per_minute) row.per_minute = verdict->bytes_per_minute->value;
  }
  return row;
}

ProcessRow group_row(Role role, const RoleAccount& group) {
  const auto& tally = group.together;
  return {.name = role_word(role),
          .role = role,
          .count = group.now,
          .now = tally.last(),
          .floor = tally.floor(),
          .grown = tally.growth(),
          .verdict = tally.constant() ? "constant" : ""};
}

std::vector<KindRow> kind_rows(const Accounts& accounts) {
  std::vector<KindRow> out;
  for (const auto line : kLines) {
    const auto& tally = accounts.line(line);
    if (line == Line::Total || tally.count() == 0) continue;
    out.push_back({label_of(line, tally.last()), std::fabs(tally.last()), tally.growth()});
  }
  for (const auto& [name, tally] : accounts.named) {
    out.push_back({name, tally.last(), tally.growth()});
  }
  return out;
}

}  // namespace

LiveState live_state(const Accounts& accounts, const verdict::Verdicts& verdicts) {
  LiveState state{.accounts = accounts};
  const auto listed = listed_processes(accounts, accounts.processes.size());
  for (const auto* account : listed) {
    if (!account->gone && state.rows.size() < kMostRows) {
      state.rows.push_back(process_row(*account, verdicts));
    }
  }
  for (const auto role : {Role::CompileWorker, Role::LoaderWorker}) {
    if (told_together(accounts, role) && accounts.role(role).now > 0) {
      state.rows.push_back(group_row(role, accounts.role(role)));
    }
  }
  if (!listed.empty()) {
    // The job; of one that has come back, the one that lives.
    const auto role = listed.front()->known.role;
    const auto living = std::find_if(listed.begin(), listed.end(), [role](const auto* account) {
      return !account->gone && account->known.role == role;
    });
    const auto* named = living == listed.end() ? listed.front() : *living;
    state.subject = job_name(named->known);
    if (!named->gone) state.pid = named->known.id.pid;
  }
  if (state.subject.empty()) state.subject = accounts.header.command;
  state.alarm = kill_sentence(accounts, Tense::GoingOn);
  state.kinds = kind_rows(accounts);
  if (verdicts.all.empty()) {
    state.words = first_words();
  } else {
    state.verdict = verdicts.all.front();
    state.words = words(*state.verdict);
  }
  return state;
}

}  // namespace tidegauge::view
