// SPDX-License-Identifier: Apache-2.0
#include "view/report_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "record/names.h"
#include "view/axis.h"
#include "view/doubts.h"
#include "view/facts.h"
#include "view/holdings_json.h"
#include "view/phrases.h"
#include "view/short_words.h"
#include "view/sites_json.h"
#include "view/summary_text.h"
#include "view/timeline_json.h"
#include "view/verdict_json.h"

namespace tidegauge::view {

namespace {

using Json = nlohmann::ordered_json;

// A page is wide: the moment of the limit is worth more room than in a terminal.
constexpr double kMostFuture = 2.5;
constexpr double kShortest = 1e-9;  // an axis has some length
constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kNameColumns = 200;
constexpr std::size_t kCommandColumns = 400;

Json sentences(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const auto& text : texts) {
    if (auto sentence = as_sentence(text); !sentence.empty()) out.push_back(std::move(sentence));
  }
  return out;
}

Json facts_json(const std::vector<Fact>& facts) {
  Json out = Json::array();
  for (const auto& fact : facts) {
    out.push_back(
        {{"id", fact.id}, {"label", fact.label}, {"value", fact.value}, {"detail", fact.detail}});
  }
  return out;
}

Json tally_json(const Tally& tally) {
  const auto whole = [](double bytes) { return std::llround(bytes); };
  return {{"min", whole(tally.min())},       {"average", whole(tally.average())},
          {"max", whole(tally.max())},       {"floor", whole(tally.floor())},
          {"growth", whole(tally.growth())}, {"last", whole(tally.last())},
          {"growth_words", growth_of(tally)}};
}

// Of the kinds that make up its total, where there are several.
Json kinds_of(const ProcessAccount& account) {
  constexpr double kWorthALine = 0.01;
  Json out = Json::object();
  for (const auto part : kParts) {
    const auto& tally = account.tally(part);
    if (part == Part::Total || tally.max() <= kWorthALine * account.tally(Part::Total).max()) {
      continue;
    }
    out[id_of(part)] = tally_json(tally);
  }
  return out.size() > 1 ? out : Json::object();
}

Json processes_json(const Report& report) {
  Json out = Json::array();
  for (const auto& [id, account] : report.accounts.processes) {
    const auto& total = account.tally(Part::Total);
    if (total.count() == 0 || out.size() == kMostProcesses) continue;
    const auto* verdict = verdict_on(report.verdicts, id);
    out.push_back({{"pid", id.pid},
                   {"start_ticks", id.start_ticks},
                   {"parent_pid", account.known.parent.pid},
                   {"label", shown(job_name(account.known), kNameColumns)},
                   {"name", shown(account.known.name, kNameColumns)},
                   {"command", shown(account.known.command, kCommandColumns)},
                   {"role", record::id_of(account.known.role)},
                   {"role_words", role_word(account.known.role)},
                   {"verdict_words", verdict ? short_verdict(*verdict) : ""},
                   {"gone", account.gone},
                   {"first_seen", account.first_seen},
                   {"last_seen", account.last_seen},
                   {"peak_rss", account.peak_rss},
                   {"total", tally_json(total)},
                   {"kinds", kinds_of(account)}});
  }
  return out;
}

Json kinds_json(const Accounts& accounts) {
  Json out = Json::array();
  for (const auto line : kLines) {
    const auto& tally = accounts.line(line);
    if (tally.count() == 0) continue;
    Json kind = tally_json(tally);
    kind["kind"] = id_of(line);
    kind["label"] = label_of(line);
    out.push_back(std::move(kind));
  }
  for (const auto& [name, tally] : accounts.named) {
    Json series = tally_json(tally);
    series["kind"] = "named";
    series["label"] = shown(name, kNameColumns);
    out.push_back(std::move(series));
  }
  return out;
}

Json marks_json(const Report& report) {
  const auto& progress = report.accounts.progress;
  Json phases = Json::array();
  for (const auto& phase : progress.phases()) {
    phases.push_back({{"from", phase.begin},
                      {"to", phase.end ? Json(*phase.end) : Json(nullptr)},
                      {"label", phase_label(phase.name)}});
  }
  Json epochs = Json::array();
  for (const auto& epoch : progress.epochs()) {
    epochs.push_back({{"at", epoch.at}, {"number", epoch.number}});
  }
  Json events = Json::array();
  for (const auto& event : progress.happenings()) {
    events.push_back({{"at", event.at}, {"text", event.text}});
  }
  Json gaps = Json::array();
  for (const auto& gap : report.timeline.gaps()) {
    gaps.push_back({{"from", gap.from}, {"to", gap.to}});
  }
  return {{"phases", phases}, {"epochs", epochs}, {"events", events}, {"gaps", gaps}};
}

// The job came back: another process has its role, after the first one had ended.
Json restarts_json(const Accounts& accounts) {
  std::vector<const ProcessAccount*> jobs;
  for (const auto& [id, account] : accounts.processes) {
    if (account.known.role == record::Role::Main && account.tally(Part::Total).count() > 0) {
      jobs.push_back(&account);
    }
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const auto* a, const auto* b) { return a->first_seen < b->first_seen; });
  Json out = Json::array();
  for (std::size_t i = 1; i < jobs.size(); ++i) {
    if (jobs[i]->first_seen >= jobs[i - 1]->last_seen) out.push_back(jobs[i]->first_seen);
  }
  return out;
}

// Rates that stand on the floor itself.
Json segments_json(const verdict::Verdict& verdict, const History& history) {
  Json out = Json::array();
  const auto add = [&out](double from, double to, const Phrase& text) {
    if (text && to > from) out.push_back({{"from", from}, {"to", to}, {"label", *text}});
  };
  if (const auto at = settled_at(verdict, history)) {
    auto before = per_step_phrase(verdict.settled->bytes_per_step_before);
    if (!before) before = per_time_phrase(verdict.settled->bytes_per_minute_before);
    add(history.first_at(), *at, before);
    add(*at, history.last_at(), "no growth");
  } else if (may_grow(verdict)) {
    add(history.first_at(), history.last_at(), growth_phrase(verdict));
  }
  return out;
}

std::optional<double> seconds_per_step(const History& history) {
  const XAxis axis(history, history.first_at(),
                   std::max(history.last_at(), history.first_at() + kShortest), history.last_at(),
                   false);
  return axis.seconds_per_step();
}

Json outlook_json(const Report& report) {
  const auto& history = report.accounts.history;
  if (report.verdicts.all.empty() || history.empty()) return nullptr;
  const auto& verdict = report.verdicts.all.front();
  const auto outlook = page_outlook(report);
  const auto pace = seconds_per_step(history);
  Json out = {{"now", outlook.now},
              {"until", outlook.until},
              {"level", outlook.level},
              {"seconds_per_step", pace ? Json(*pace) : Json(nullptr)},
              {"segments", segments_json(verdict, history)}};
  if (outlook.limit_bytes) {
    out["limit"] = {{"bytes", *outlook.limit_bytes}, {"label", limit_label(verdict)}};
  }
  if (outlook.fan) {
    out["fan"] = {{"p5", outlook.p5},
                  {"p50", outlook.p50},
                  {"p95", outlook.p95},
                  {"label", full_label(outlook, verdict)}};
  }
  if (outlook.bounded) {
    out["bounded"] = {{"at", outlook.bounded_at},
                      {"level", outlook.bounded_level},
                      {"label", bounded_label(outlook, verdict)}};
  }
  if (const auto at = settled_at(verdict, history)) {
    out["settled"] = {{"at", *at},
                      {"level", verdict.settled->level_bytes},
                      {"label", settled_label(*verdict.settled)}};
  }
  return out;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string title_of(const Report& report) {
  for (const auto* account : listed_processes(report.accounts, 1)) {
    const auto name = job_name(account->known);
    if (!name.empty()) return shown(name, kNameColumns);
  }
  const auto& command = report.accounts.header.command;
  return shown(command.empty() ? base_name(report.source) : command, kNameColumns);
}

}  // namespace

Outlook page_outlook(const Report& report) {
  const auto& accounts = report.accounts;
  const auto& history = accounts.history;
  const auto& verdicts = report.verdicts.all;
  const Chart chart{.history = history,
                    .progress = accounts.progress,
                    .window = {history.first_at(), history.last_at()},
                    .counts_steps = accounts.header.clock == record::Clock::Steps,
                    .verdict = verdicts.empty() ? nullptr : &verdicts.front()};
  return outlook_of(chart, seconds_per_step(history), kMostFuture);
}

std::string report_json(const Report& report) {
  const auto& accounts = report.accounts;
  const auto& header = accounts.header;
  const auto document = Json::parse(verdict_document(
      report.source, report.verdicts, killed(accounts, report.tense), Layout::OneLine));
  Json out = {
      {"schema", "tidegauge/report/1"},
      {"tool", shown(header.tool, kNameColumns)},
      {"title", title_of(report)},
      {"seen", seen_phrase(accounts)},
      {"clock", header.clock == record::Clock::Steps ? "steps" : "seconds"},
      {"started_unix_ms",
       header.started_unix_ns > 0 ? Json(header.started_unix_ns / 1'000'000) : Json(nullptr)},
      {"interval_seconds", header.interval_seconds},
      {"killed", document["killed"]},
      {"verdicts", document["verdicts"]},
      {"outlook", outlook_json(report)},
      {"marks", marks_json(report)},
      {"restarts", restarts_json(accounts)},
      {"processes", processes_json(report)},
      {"groups", sentences(group_sentences(accounts))},
      {"gone", gone_sentence(accounts)},
      {"kinds", kinds_json(accounts)},
      {"how", facts_json(how_measured(accounts, report.source))},
      {"notes", sentences(report.notes)},
      {"tree", tree_series(report.timeline, accounts.progress)},
      {"process_series", process_series(report.timeline)}};
  if (auto held = holdings_json(report.timeline.holdings(), accounts); !held.empty()) {
    out["holdings"] = std::move(held);
  }
  if (auto sites = sites_json(accounts); !sites.empty()) out["sites"] = std::move(sites);
  if (report.census) out["census"] = census_json(*report.census);
  if (!report.verdicts.all.empty()) {
    out["doubts"] = sentences(doubts(report.verdicts.all.front()));
    out["evidence"] = sentences(report.verdicts.all.front().evidence);
  }
  // A name may hold any bytes: what is no UTF-8 is replaced instead of thrown over.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tidegauge::view
